"""Exercises: a check of a reader's answer that names the mistake."""

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from typing import Any, Final

from emq.widgets.ask import named

MOST_WORDS: Final = 600


class Mistake(Exception):
    """What is wrong with an answer, in a sentence that helps: the mistake's name, not only that there is one."""


def as_list(answer: object, what: str, *, ordered: bool = False) -> list[Any]:
    """`answer`, which should be `what`, as a list. Raises Mistake for text, and for a set where order counts."""
    if isinstance(answer, str | bytes) or not isinstance(answer, Sequence if ordered else Sequence | Set):
        raise Mistake(f"expected {what}; got {type(answer).__name__}")
    return list(answer)


@dataclass(frozen=True)
class Check:
    """`ask` is the exercise in a line. `check` gets the answer; it says why it is right, or raises Mistake."""

    ask: str
    check: Callable[[Any], str]


@dataclass(frozen=True)
class Verdict:
    """What came of an answer. ``right`` is None while there is none. Its repr is what a notebook shows."""

    key: str
    right: bool | None
    words: str

    def __repr__(self) -> str:
        mark = {None: "…", True: "✓", False: "✗"}[self.right]
        return f"{mark} Exercise {self.key}: {self.words}"


def judge(key: str, exercise: Check, answer: object) -> Verdict:
    """The verdict on `answer`; ``...`` is no answer. A reader's own error inside the check is told, not raised, so that
    Run All stays green with half an answer in it."""
    if answer is ...:
        return Verdict(key, None, "not answered yet")
    try:
        return Verdict(key, True, exercise.check(answer))
    except Mistake as mistake:
        return Verdict(key, False, _short(str(mistake)))
    except (Exception, SystemExit) as error:  # an answer that calls exit() shall not end the lesson either
        return Verdict(key, False, _short(f"your answer raised {named(error)}"))


def _short(words: str) -> str:
    """`words`, elided in the middle: they may quote an answer, which may be of any length."""
    return words if len(words) <= MOST_WORDS else f"{words[: MOST_WORDS // 2]} … {words[-MOST_WORDS // 2 :]}"
