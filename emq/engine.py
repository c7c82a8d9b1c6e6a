"""Engines: where the keys live. The embedded one needs nothing started; any other is named by a URL.

    embedded://                      fakeredis with Lua, in this process, gone with it (the default)
    redis://host:port/db             Redis or Valkey; also valkey://, and rediss:// or valkeys:// for TLS, verified
    unix:///path/to.sock             the same by a socket file
    redis://any-node:port            a cluster, recognised by what the node says of itself

`EMQ_URL` in the environment names the engine for everything that is not told otherwise.
"""

import os
import re
import ssl
from importlib.metadata import version
from typing import Any, Final, cast
from urllib.parse import SplitResult, urlsplit

from redis import Redis
from redis.client import NEVER_DECODE
from redis.cluster import RedisCluster
from redis.exceptions import (
    AuthenticationError,
    InvalidResponse,
    RedisClusterException,
    RedisError,
    ResponseError,
    TimeoutError,
)

from emq.errors import EmqError, EngineUnavailable, InvalidEngineUrl

EMBEDDED: Final = "embedded://"
_SCHEMES: Final = {"redis": "redis", "rediss": "rediss", "valkey": "redis", "valkeys": "rediss", "unix": "unix"}
_FALL_BACK: Final = "For the embedded engine, unset EMQ_URL or connect to 'embedded://'."


def connect(url: str | None = None) -> Redis | RedisCluster:
    """A redis-py client on the engine at `url`; without one, at `EMQ_URL`; without that, on a new embedded engine.

    Each embedded engine is its own: two calls share nothing. A client for a real engine has been answered once before
    it is returned. Raises `InvalidEngineUrl`, or `EngineUnavailable` when the engine cannot be reached or refuses us:
    one line that names host and port, never the password. It never falls back to another engine by itself.
    """
    opened = _opened((os.environ.get("EMQ_URL") or EMBEDDED) if url is None else url)
    del url
    if isinstance(opened, EmqError):
        raise opened
    return opened


def _opened(url: str) -> Redis | RedisCluster | EmqError:
    """The client, or the error to raise where no variable holds the URL: some tracebacks show variables."""
    try:
        return _open(url)
    except (InvalidEngineUrl, EngineUnavailable) as error:
        error.__context__ = None
        return error.with_traceback(None)


def _open(url: str) -> Redis | RedisCluster:
    if url == EMBEDDED:
        import fakeredis  # not wanted by who brings a server; and the package stays light

        return fakeredis.FakeRedis(server=fakeredis.FakeServer())
    parts = _checked(url)
    where = _where(parts)
    redis_url = f"{_SCHEMES[parts.scheme]}://{url.partition('://')[2]}"
    database = "0" if parts.scheme == "unix" else parts.path.strip("/") or "0"
    try:
        client = Redis.from_url(redis_url)
        if _hello(client)["mode"] != "cluster":
            return client
        client.close()
        if database != "0":
            raise InvalidEngineUrl(f"expected database 0, the only one of a cluster; got {database} for {where}")
        return RedisCluster.from_url(redis_url)
    except InvalidEngineUrl:
        raise
    except UnicodeError:
        raise InvalidEngineUrl(
            f"expected a host that can be looked up, and a password in UTF-8; got {where}. {_FALL_BACK}"
        ) from None
    except (ValueError, TypeError, AttributeError):  # redis-py's for an option that is unknown or that it cannot read
        raise InvalidEngineUrl(f"expected options that redis-py knows behind the ? of the URL for {where}") from None
    except ResponseError as error:
        refused = "it refused us" if database == "0" else f"it refused database {database}"
        raise EngineUnavailable(f"no engine at {where}: {refused} ({type(error).__name__}). {_FALL_BACK}") from None
    except (RedisError, RedisClusterException, OSError) as error:
        raise EngineUnavailable(f"no engine at {where}: {_reason(error)}. {_FALL_BACK}") from None


def describe(client: Redis | RedisCluster) -> str:
    """One line that says which engine `client` is on: its name and version, and where it is. One round trip."""
    if type(client).__module__.partition(".")[0] == "fakeredis":  # by name: a HELLO would put it back to RESP2
        return f"embedded engine (fakeredis {version('fakeredis')}, in this process)"
    untyped: Any = client
    if isinstance(client, RedisCluster):
        node = untyped.get_default_node()
        hello = _hello(untyped.get_redis_connection(node))  # HELLO has no key to be routed by
        where = f", a cluster of {len(untyped.get_primaries())} primaries, by way of {_address(node.host, node.port)}"
    else:
        hello = _hello(client)
        at = untyped.get_connection_kwargs()
        where = f" at {at['path'] if 'path' in at else _address(at['host'], at['port'])}"
    return f"{hello['server']} {hello['version']}{where}"


def raw(client: Redis | RedisCluster, *command: str | bytes | int) -> Any:
    """The reply to `command`, as bytes whether the client decodes responses or not: what is no text stays readable."""
    untyped: Any = client
    return untyped.execute_command(*command, **{NEVER_DECODE: True})


def _checked(url: object) -> SplitResult:
    """The parts of `url`. Nothing of it goes into a message before the password has been told from the rest."""
    if not isinstance(url, str):
        raise InvalidEngineUrl(f"expected the engine's URL, a str; got {type(url).__name__}. {_FALL_BACK}")
    if not url.isprintable() or url[:1].isspace():  # urlsplit would drop some of these and read the rest
        raise InvalidEngineUrl(f"expected an engine's URL without blanks and control characters. {_FALL_BACK}")
    schemes = ", ".join(f"{scheme}://" for scheme in ("embedded", *_SCHEMES))
    try:
        parts = urlsplit(url)
        port = parts.port
        # What seems to be the port can be the digits that a password begins with, before a mark of its own.
        if parts.scheme != "unix" and "@" not in parts.netloc and "@" in parts.path + parts.query:
            raise ValueError
    except ValueError:
        raise InvalidEngineUrl(
            "expected host:port in the engine's URL, the port a number up to 65535; a password's own @ : / ? # must be "
            f"percent-encoded. {_FALL_BACK}"
        ) from None
    if parts.scheme not in _SCHEMES or "://" not in url:
        raise InvalidEngineUrl(f"expected the engine's URL to start with one of {schemes}. {_FALL_BACK}")
    if parts.fragment:
        raise InvalidEngineUrl(f"expected no # in the engine's URL; in a password it is written %23. {_FALL_BACK}")
    if parts.scheme == "unix":
        if not parts.path.strip("/") or len(parts.path) > 107:  # the longest that the systems take
            raise InvalidEngineUrl(
                f"expected the path of a socket file, of 107 characters at most, behind unix://. {_FALL_BACK}"
            )
    elif not parts.hostname or port == 0:
        raise InvalidEngineUrl(f"expected host:port behind {parts.scheme}://. {_FALL_BACK}")
    elif not _is_database(parts.path.strip("/")):
        raise InvalidEngineUrl(f"expected the number of a database behind {_where(parts)}/. {_FALL_BACK}")
    return parts


# Nine digits are more than any engine has; of thousands redis-py would make 0.
_is_database = re.compile("[0-9]{0,9}").fullmatch


def _where(parts: SplitResult) -> str:
    return parts.path if parts.scheme == "unix" else _address(cast(str, parts.hostname), parts.port or 6379)


def _address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _hello(client: Redis) -> dict[str, str]:
    """What the server says of itself: a map under RESP3, a flat list under RESP2; `InvalidResponse` for all else."""
    reply = raw(client, "HELLO")
    if not isinstance(reply, dict | list):
        raise InvalidResponse("expected a map in reply to HELLO")
    pairs = reply.items() if isinstance(reply, dict) else zip(reply[::2], reply[1::2], strict=False)
    hello = {_as_text(name): _as_text(value) for name, value in pairs}
    if not {"server", "version", "mode"} <= hello.keys():
        raise InvalidResponse("expected server, version and mode in the reply to HELLO")
    return hello


def _as_text(value: object) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def _reason(error: BaseException) -> str:
    """Why, in words of ours: a server's own words can repeat what it was sent, the password among it."""
    if isinstance(error, AuthenticationError):
        return "it refused the user name or password"
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    if isinstance(error, InvalidResponse):
        return "what answers there is neither Redis nor Valkey"
    if isinstance(error, RedisClusterException):
        return "its cluster is not whole, some slots are served by no node that answers"
    causes = [error]
    while causes[-1].__cause__ or causes[-1].__context__:
        causes.append(cast(BaseException, causes[-1].__cause__ or causes[-1].__context__))
    for cause in causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"its certificate does not verify ({cause.verify_message})"
        if isinstance(cause, ssl.SSLError):
            return "the TLS handshake failed"
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror[0].lower() + cause.strerror[1:]
    return f"it answered with {type(error).__name__}"
