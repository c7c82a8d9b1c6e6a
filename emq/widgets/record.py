"""The record: seven frozen lines, and beside them the same seven as an engine says them now."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Final

from redis import Redis
from redis.cluster import RedisCluster

from emq import rung
from emq.engine import connect, describe
from emq.widgets import markup as m
from emq.widgets.ask import Act, Says
from emq.widgets.live_sort import first_difference
from emq.widgets.stage import Choice, Frame, Lesson, Stage, first_of, needs_kernel

MEANINGS: Final[Mapping[str, str]] = {
    "boot": "Before any gate runs, work becomes a kind: the registry of kinds is one longer, by JOB.",
    "J1": "The surface: callers hold three verbs. What a key looks like and what the script says stays inside.",
    "J2": "Asked twice, one job: the id is looked for before anything is written, so the second call finds it and "
    "changes nothing.",
    "J3": "An order's id has the right shape, so a key can be built from it; but it names no work, so the script "
    "refuses it, by an error class of its own.",
    "J4": "The ids sort by time because they were made so. One set, read from either end, is the queue and the list of "
    "the newest, and no second index is kept.",
    "J5": "The payload ships the order's name and a number, no copy of the order. Whoever reads it parses the name "
    "again.",
    "PASS": "The count: how many of the five gates did what their line says.",
}
"""What each line of the record claims, in words of ours."""


NAMES: Final = tuple(map(rung.name_of, rung.RECORD))


def difference(frozen: Sequence[str], live: Sequence[str]) -> tuple[int, int] | None:
    """The first difference: its line (0-based) and the character in it, counted from 1. None when all is the same."""
    for at, (one, other) in enumerate(zip_longest(frozen, live, fillvalue="")):
        if column := first_difference(one, other):
            return at, column
    return None


def record_frames(reads: Sequence[str] = NAMES, live: Sequence[str] | None = None, engine: str = "") -> list[Frame]:
    """The record with the lines named in `reads` marked, then a frame for each of those that says what it claims.

    With `live`, the lines that the engine described by `engine` gave, a second scene of the same with both. Raises
    ValueError for a name that no line of the record has.
    """
    if unknown := [name for name in reads if name not in NAMES]:
        raise ValueError(f"expected names of lines, of {', '.join(NAMES)}; got {unknown[0]!r}")
    marked = [at for at, name in enumerate(NAMES) if name in reads]
    frames = [*_scene(marked, (), _frozen(marked), "frozen")]
    if live is None:
        return frames
    choices = (Choice("The frozen record", 0), Choice("The live run", len(frames)))
    frames += _scene(marked, live, _verdict(live, engine), "live")
    return [Frame(frame.html, frame.caption, choices, frame.scene) for frame in frames]


def _scene(marked: Sequence[int], live: Sequence[str], opening: str, scene: str) -> Iterator[Frame]:
    def picture(here: Sequence[int]) -> str:
        return m.diff(rung.RECORD, live, marked=here, label=f"The record, {scene}")

    yield Frame(picture(marked), opening, scene=scene)
    for at in marked:
        yield Frame(picture([at]), f"{m.tag('b', m.esc(NAMES[at]))}: {m.esc(MEANINGS[NAMES[at]])}", scene=scene)


def _frozen(marked: Sequence[int]) -> str:
    if len(marked) == len(NAMES):
        return "Seven lines, written once and never again. Step through them: each says what it claims."
    names = " and ".join(m.tag("b", m.esc(NAMES[at])) for at in marked)
    return f"Seven lines, written once and never again. This dive reads {names or 'none of them'}."


def _verdict(live: Sequence[str], engine: str) -> str:
    found = difference(rung.RECORD, live)
    on = m.esc(engine or "this engine")
    if found is None:
        return f"{m.tag('b', 'The same')}, all {len(rung.RECORD)} lines, to the last byte. It ran on the {on}."
    at, column = found
    name = NAMES[at] if at < len(NAMES) else rung.name_of(live[at])
    return f"{m.tag('b', f'The first difference: {m.esc(name)}')}, at character {column}. It ran on the {on}."


class Record(Lesson):
    """The record, this dive's lines marked, and a button that runs it: ``Record(reads=("J2", "J3"), client=client)``.

    Without a `client` the button connects as `emq.connect` does. A run costs what `emq.rung.run` does.
    """

    def __init__(self, reads: Sequence[str] = NAMES, client: Redis | RedisCluster | None = None) -> None:
        self._reads, self._client = tuple(reads), client
        stage = Stage(record_frames(self._reads), title="The record", lead="Five gates, run on a live engine.")
        self.says = Says()
        run = Act("Run it live", self.run, self.says)
        super().__init__(stage, needs_kernel(run, self.says, live="Run it on the live page"))

    def run(self) -> str:
        """Runs the gates on the engine and shows its lines beside the frozen ones. Raises what the engine raises."""
        client = self._client if self._client is not None else connect()
        report = rung.run(client)
        frames = record_frames(self._reads, report.lines, describe(client))
        self.stage.show(frames, first_of(frames, "live"))
        return report.lines[-1]

    def restore(self) -> None:
        """The frozen record alone."""
        self.says.say("")
        self.stage.show(record_frames(self._reads))
