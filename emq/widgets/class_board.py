"""The class board: one queue that many minters share, live: what came last, who minted it, and how fast it comes.

`Board` is what there is to see, `class_board_frames` draws it, and `ClassBoard` looks again twice a second.
"""

import csv
import io
import threading
import time
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from redis import Redis
from redis.cluster import RedisCluster

from emq.engine import raw
from emq.errors import InvalidId
from emq.ids import BrandedId
from emq.jobs import Jobs
from emq.keys import Keys
from emq.nodes import holders
from emq.widgets.ask import Act, Says, named
from emq.widgets.markup import code, esc, split, tag
from emq.widgets.stage import Frame, Lesson, Stage, needs_kernel

NEWEST = 12
READ = 20_000
"""Jobs that are counted by node, the newest: a class has fewer, and the reading stays a few milliseconds."""

LOOK_EVERY = 0.5
RATE_OVER = 5.0


@dataclass(frozen=True)
class Board:
    """A moment of the class: how many are pending, the ids (newest first), names by node, and jobs a second."""

    queue: str
    size: int
    ids: Sequence[BrandedId]
    names: Mapping[int, str] = field(default_factory=dict)
    rate: float = 0.0

    @property
    def by_node(self) -> list[tuple[int, int]]:
        """Node and how many it minted, the most first."""
        return sorted(Counter(job_id.node for job_id in self.ids).items(), key=lambda pair: (-pair[1], pair[0]))


def class_board_frames(board: Board) -> list[Frame]:
    """One frame: the newest jobs at the left, who minted how many at the right."""
    return [Frame(_figures(board) + split(_newest(board), _minters(board)), _caption(board))]


def _figures(board: Board) -> str:
    pairs = (
        (f"{board.size:,}", "pending"),
        (f"{board.rate:,.1f}", "jobs a second"),
        (f"{len(board.by_node):,}", "minters"),
    )
    return tag("dl", *(tag("div", tag("dd", value), tag("dt", esc(what))) for value, what in pairs), cls="emq-figures")


def _newest(board: Board) -> str:
    columns = (("newest first", ""), ("minted", "emq-when"), ("by", ""))
    heads = tag("thead", tag("tr", *(tag("th", what, scope="col", cls=cls) for what, cls in columns)))
    rows = [
        tag(
            "tr",
            tag("td", tag("code", tag("span", esc(job_id[:3]), cls="emq-word-code--ns"), esc(job_id[3:]))),
            tag("td", tag("code", esc(job_id.minted_at.strftime("%H:%M:%S.%f")[:-3])), cls="emq-when"),
            tag("td", esc(_name(board, job_id.node)), cls="emq-by"),
            data_key=job_id,
        )
        for job_id in board.ids[:NEWEST]
    ] or [tag("tr", tag("td", "Nothing is pending yet.", colspan=3))]
    return tag("table", heads, tag("tbody", *rows), cls="emq-board", aria_label="The newest jobs of the class")


def _minters(board: Board) -> str:
    counts = board.by_node
    most = counts[0][1] if counts else 1
    rows = [
        tag(
            "tr",
            tag("td", esc(_name(board, node)), cls="emq-by"),
            tag("td", tag("span", "", style=f"width:{100 * count / most:.0f}%", cls="emq-share"), cls="emq-shares"),
            tag("td", f"{count:,}"),
            data_key=f"node-{node}",
        )
        for node, count in counts
    ]
    heads = tag("thead", tag("tr", *(tag("th", what, scope="col") for what in ("minter", "share", "jobs"))))
    table = tag("table", heads, tag("tbody", *rows), cls="emq-board emq-minters", aria_label="Jobs by minter")
    return tag("div", table, cls="emq-side emq-scroll", tabindex=0, role="group", aria_label="Jobs by minter")


def _name(board: Board, node: int) -> str:
    return f"{board.names[node]} · {node}" if node in board.names else f"node {node}"


def _caption(board: Board) -> str:
    if not board.ids:
        return f"The queue {code(board.queue)} is empty. Every job that is enqueued appears here."
    newest, oldest = board.ids[0], board.ids[-1]
    said = f"The newest is {code(newest)}, of {esc(_name(board, newest.node))}."
    if len(board.ids) < board.size:
        return f"{said} The counts cover the newest {len(board.ids):,}."
    return f"{said} The head, the next to be served, is {code(oldest)}, of {esc(_name(board, oldest.node))}."


def board_csv(board: Board) -> str:
    """The board's jobs as CSV, oldest first: id, mint time, node, sequence, name. A name is text, never a formula."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(("id", "minted_at", "node", "seq", "name"))
    for job_id in reversed(board.ids):
        name = board.names.get(job_id.node, "")
        safe = f"'{name}" if name[:1] in "=+-@\t" and name else name
        rows.writerow((str(job_id), job_id.minted_at.isoformat(timespec="milliseconds"), job_id.node, job_id.seq, safe))
    return out.getvalue()


class ClassBoard(Lesson):
    """The instructor's view of `queue`, at which node numbers are leased too: ``ClassBoard(client, "class")``.

    Looks every half second, in a thread of its own, until paused or closed; costs the engine two reads a look. What
    goes wrong while looking is shown, and it looks again. Without threads, as in a browser, call `look`.
    """

    def __init__(self, client: Redis | RedisCluster, queue: str, *, live: bool = True) -> None:
        self._client, self._queue, self._jobs, self._keys = client, queue, Jobs(client, queue), Keys(queue)
        self._names: dict[int, str] = {}
        self._sizes: deque[tuple[float, int]] = deque()
        self._looking = threading.Lock()
        self._halt = threading.Event()
        self._thread: threading.Thread | None = None
        self._says, self._faulty = Says(), False
        self.board = Board(queue, 0, ())
        stage = Stage(class_board_frames(self.board), title="The class", lead=f"Everyone's jobs, in {code(queue)}.")
        controls = (
            Act("Pause or go on", self.toggle, self._says),
            Act("Export", self.export, self._says),
            Act("Empty the queue", self.empty, self._says),
        )
        super().__init__(stage, needs_kernel(*controls, self._says, live="A class needs an engine of its own"))
        self._show()
        if live:
            self.start()

    def look(self) -> Board:
        """Reads the queue and shows it; nothing is redrawn when nothing has changed."""
        with self._looking:
            size = self._jobs.pending_size()
            ids = self._jobs.browse(min(size, READ)) if size else []
            self._names |= holders(self._client, self._queue)
            now = time.monotonic()
            self._sizes.append((now, size))
            while now - self._sizes[0][0] > RATE_OVER:
                self._sizes.popleft()
            self.board = Board(self._queue, size, ids, dict(self._names), self._rate())
            frames = class_board_frames(self.board)
            if frames != self.stage.frames:
                self.stage.frames = frames
            self._faulty = False
            return self.board

    def _rate(self) -> float:
        (then, before), (now, size) = self._sizes[0], self._sizes[-1]
        return max(0.0, (size - before) / (now - then)) if now > then else 0.0

    def start(self) -> None:
        """Looks from now on, in a thread."""
        if not self.running:
            self._halt.clear()
            self._thread = threading.Thread(target=self._watch, name=f"board-{self._queue}", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Looks no more; when this returns, the thread has ended."""
        self._halt.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
        self._thread = None

    @property
    def running(self) -> bool:
        """Whether it is looking."""
        return self._thread is not None and self._thread.is_alive()

    def _watch(self) -> None:
        while not self._halt.wait(LOOK_EVERY):
            self._show()

    def _show(self) -> None:
        """Looks; what goes wrong is shown, since nobody hears an exception in a thread or an observer."""
        was_faulty = self._faulty
        try:
            self.look()
        except Exception as error:  # noqa: BLE001  # an engine that is away comes back; the board shall be there
            self._faulty = True
            self._says.say(f"{named(error)}. Looking again." if self.running else named(error), error=True)
        else:
            if was_faulty:
                self._says.say("The engine answers again.")

    def toggle(self) -> str:
        """Pauses, or goes on."""
        if self.running:
            self.stop()
            return "Paused. The queue goes on without the board."
        self.start()
        return "Looking again."

    def export(self, folder: Path | str = ".") -> str:
        """Writes what is on the board to a CSV file in `folder` and says where. An earlier file is not overwritten."""
        stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
        path = Path(folder) / f"{self._queue}-{stamp}.csv"
        with path.open("x", encoding="utf-8", newline="") as file:
            file.write(board_csv(self.board))
        return f"{len(self.board.ids):,} jobs are in {path.name}."

    def empty(self) -> str:
        """Removes the class queue's jobs, the rows too, and whatever else stands in the pending set. Leases stay."""
        gone = 0
        while members := raw(self._client, "ZRANGE", self._keys.pending, 0, 999):
            self._client.zrem(self._keys.pending, *members)
            if rows := [row for member in members if (row := self._row(member))]:
                self._client.delete(*rows)
            gone += len(members)
        self._sizes.clear()
        self.look()
        return f"{gone:,} jobs removed."

    def _row(self, member: bytes) -> str | None:
        try:
            return self._keys.job(member)
        except InvalidId:  # somebody else's: it has no row
            return None

    def restore(self) -> None:
        self._says.say("")
        self._sizes.clear()
        self._show()

    def close(self) -> None:
        self.stop()
        super().close()

    def __repr__(self) -> str:
        return f"ClassBoard({self._queue!r})"
