"""In front of a class: type that the last row can read, and one way back to where the notebook began."""

from itertools import islice
from typing import Final
from weakref import WeakKeyDictionary

import ipywidgets
from redis import Redis
from redis.cluster import RedisCluster

from emq.engine import describe
from emq.errors import EmqError
from emq.jobs import Jobs
from emq.keys import Keys
from emq.widgets.ask import Act, Says, named
from emq.widgets.markup import code, esc, tag
from emq.widgets.stage import Stage, needs_kernel

# A Stage scales with --emq-size; prose and code follow the variables of the page around them. At that size a picture is
# often taller than the screen: what is said about it then stays in sight, for which no box around it may clip.
CLASS_SIZE = """<style>
:root, .jp-Notebook { --emq-size: 22px; --jp-widgets-font-size: 20px; }
.jp-Notebook { --jp-content-font-size1: 22px; --jp-code-font-size: 20px; }
.jp-Notebook { --jp-cell-prompt-width: 4.6em; }
.jp-Notebook .cm-content { white-space: break-spaces; overflow-wrap: anywhere; flex-shrink: 1; }
.jp-Notebook .emq-split :is(.emq-line, .emq-kv) { font-size: 0.8em; line-height: 1.45; }
.jp-Notebook .emq-verdict { position: sticky; bottom: 0; z-index: 2; border-radius: 0; }
.jp-Notebook .emq-verdict { outline: 1px solid var(--emq-line); }
.jp-Cell:not(.jp-mod-outputsScrolled) :is([class*="jp-OutputArea"], .emq-lesson):has(.emq-verdict) {
  overflow: visible;
}
</style>"""


def fresh(client: Redis | RedisCluster, queue: str) -> Jobs:
    """`queue` with none of its keys left on the engine, whatever a lesson did to them. O(keys on the engine)."""
    jobs = Jobs(client, queue)
    found = client.scan_iter(Keys(queue).every, count=1000)
    while keys := list(islice(found, 1000)):  # a round trip for each key would take a million of them a minute
        client.unlink(*keys)
    return jobs


def reset_all(client: Redis | RedisCluster, queue: str) -> Jobs:
    """The notebook as it began: its `queue` without a key, and every Stage with its inputs at the first state.

    Variables keep their values: run the cells again for those. One that fails keeps none of the others from it;
    afterwards `EmqError` says how many did, and what the first of them was. O(keys on the engine).
    """
    stages = tuple(Stage.alive)
    failed: list[Exception] = []
    for reset in (lambda: fresh(client, queue), *(stage.reset for stage in stages)):
        try:
            reset()
        except Exception as error:  # noqa: BLE001  # a reader's picture, or an engine that is away: told below
            failed.append(error)
    if failed:
        raise EmqError(
            f"{len(failed)} of {len(stages) + 1} could not be reset; the first: {named(failed[0])}"
        ) from failed[0]
    return Jobs(client, queue)


OWN: Final[WeakKeyDictionary[Redis | RedisCluster, str]] = WeakKeyDictionary()
"""What to say of an engine that a lesson started itself: its port is another in each run."""


class EngineLine(ipywidgets.HTML):
    """One line: which engine a notebook is on, and how to change it."""

    def __init__(self, client: Redis | RedisCluster) -> None:
        how = f"To change it, set {code('EMQ_URL')} before Jupyter starts, or pass a URL to {code('connect')}."
        super().__init__(
            tag("p", f"On the {tag('b', esc(OWN.get(client) or describe(client)))}. {how}", cls="emq-engine")
        )

    def __repr__(self) -> str:
        """The same on every engine, for the outputs that are compared."""
        return "EngineLine()"


class Presenter(ipywidgets.VBox):
    """The engine's line, a switch for larger type, and a button that puts queue and pictures back."""

    def __init__(self, client: Redis | RedisCluster, queue: str) -> None:
        self.class_size = ipywidgets.Checkbox(False, description="Class size", indent=False)
        self._style = ipywidgets.HTML("")
        self._says = Says()
        self._client, self._queue = client, queue
        self.class_size.observe(lambda _: self._says.act(self._dress), "value")
        reset = Act("Reset queue and pictures", self.reset, self._says)
        controls = needs_kernel(self.class_size, reset, self._says, live="Present from the live page")
        super().__init__([EngineLine(client), controls, self._style])
        self.add_class("emq-lesson")

    def reset(self) -> str:
        """Does what the button does, and says so."""
        reset_all(self._client, self._queue)
        return f"The queue {self._queue} is empty, and every picture is at its first frame."

    def _dress(self) -> str:
        self._style.value = CLASS_SIZE if self.class_size.value else ""
        return "Ctrl+B hides the list of files: pictures get wider." if self.class_size.value else ""

    def __repr__(self) -> str:
        return f"Presenter({self._queue!r})"


def engine_line(client: Redis | RedisCluster, queue: str | None = None) -> EngineLine | Presenter:
    """Which engine `client` is on, to show at the top of a notebook; with its `queue`, also what presenting needs."""
    return EngineLine(client) if queue is None else Presenter(client, queue)
