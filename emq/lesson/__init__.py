"""What the notebooks ask and check. The notebooks show the real thing; this package holds their questions.

    predict("1.order")          the question `order` of dive 1, on a Stage
    exercise("1.2", answer)     the check of exercise 2 of dive 1 on the reader's answer
    own("dive-1")               the reader's own queue of that name, on an engine that a class shares
    fresh(client, "dive-1")     the notebook's queue, emptied, so that every run starts equal
    engine_line(client, "dive-1")  which engine this is; larger type for a class, and a button for the next one
    reset_all(client, "dive-1")    the queue and every picture in their first state

Each dive's questions stand in a module of its own, ``dive0`` to ``dive5``.
"""

import os
from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import TypeVar

from emq.keys import Keys
from emq.lesson.exercises import Verdict, judge
from emq.lesson.presenting import engine_line, fresh, reset_all
from emq.widgets.predict import Predict

T = TypeVar("T")

__all__ = ["engine_line", "exercise", "fresh", "own", "predict", "reset_all"]


def predict(key: str) -> Predict:
    """The prediction `key`, such as ``"1.order"``, as a widget. Raises KeyError with the keys that there are."""
    dive, name = _dive(key)
    return Predict(_entry(dive.PREDICTIONS, name, key))


def exercise(key: str, answer: object = ...) -> Verdict:
    """What the check of exercise `key`, such as ``"1.2"``, says of `answer`. An `answer` of ``...`` is none yet."""
    dive, name = _dive(key)
    return judge(key, _entry(dive.EXERCISES, name, key), answer)


def own(queue: str) -> str:
    """The name of the reader's own queue: `queue`, with the name in `EMQ_READER` behind it where there is one.

    On an engine that a class shares each reader then empties and fills a queue of their own. The name is 1 to 100
    characters of ``[A-Za-z0-9_.-]``; raises `InvalidQueue` otherwise.
    """
    reader = os.environ.get("EMQ_READER", "")
    return Keys(f"{queue}.{reader}" if reader else queue).queue


def _dive(key: str) -> tuple[ModuleType, str]:
    number, _, name = key.partition(".")
    if not (number.isdecimal() and name):
        raise KeyError(f"expected a key such as '1.order', a dive and a name; got {key!r}")
    try:
        return import_module(f"emq.lesson.dive{number}"), name
    except ModuleNotFoundError as error:
        if error.name != f"emq.lesson.dive{number}":  # something else is missing, and is what has to be told
            raise
        raise KeyError(f"expected the number of a dive before the dot; got {key!r}") from None


def _entry(entries: Mapping[str, T], name: str, key: str) -> T:
    if name not in entries:
        raise KeyError(f"expected one of {', '.join(entries)} behind the dive's number; got {key!r}")
    return entries[name]
