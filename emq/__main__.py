"""``python -m emq``: runs the rung, prints the seven lines, and says by its exit status whether they are the record's.

Exit status: 0 all gates passed, 1 a gate failed, 2 no engine to run on.
"""

import argparse
import sys

from redis.exceptions import RedisClusterException, RedisError

from emq import rung
from emq.engine import connect
from emq.errors import EngineUnavailable, InvalidEngineUrl


def main(argv: list[str] | None = None) -> int:
    """Print the lines of a run and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m emq", description="Run the five gates of the rung on an engine.")
    parser.add_argument("--url", help="the engine's URL (default: EMQ_URL, else the embedded engine)")
    arguments, unknown = parser.parse_known_args(argv)
    if unknown:  # argparse would repeat them, and one may be a URL with its password
        parser.error("expected --url URL and nothing else")
    try:
        report = rung.run(connect(arguments.url))
    except (EngineUnavailable, InvalidEngineUrl) as error:
        print(f"emq: {error}", file=sys.stderr)
        return 2
    except (RedisError, RedisClusterException) as error:
        # Only the kind of fault: a server's own words can repeat what it was sent.
        print(f"emq: the engine failed during the run: {type(error).__name__}", file=sys.stderr)
        return 2
    print(*report.lines, sep="\n")
    return 0 if report.passed else 1


if __name__ == "__main__":
    sys.exit(main())
