"""What dive 2, enqueue is one script, asks."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from emq.errors import KindRefused
from emq.jobs import Admission
from emq.lesson.exercises import Check, Mistake, as_list
from emq.widgets.predict import Guess, Prediction

PREDICTIONS: Final = {
    "stops": Prediction(
        "Somebody has written a row by hand at an order's key. Now that order's id is sent in the job position. "
        "What does the script answer?",
        (
            Guess(
                "0, a duplicate",
                "a row is there, and existence is what makes a duplicate",
                "Existence is the second question. The first three bytes have ended the call before it is asked.",
            ),
            Guess(
                "EMQKIND, an error",
                "policy is asked first, and looks only at the id",
                "Policy comes before existence, so what the keys hold cannot change the answer.",
                right=True,
            ),
            Guess(
                "1, enqueued",
                "the id is well formed, and so a key can be built from it",
                "Well formed is what the key asks for. The law asks for more: that the id names work.",
            ),
        ),
    ),
    "again": Prediction(
        "The same id comes a second time, with another payload. What stands in the row afterwards?",
        (
            Guess(
                "The first payload",
                "once the row is found, nothing more is touched",
                "The id is the receipt. The first call settled what it stands for; asking again only reads it.",
                right=True,
            ),
            Guess(
                "The second payload",
                "the last write wins, as it always does in a hash",
                "It would, if there were a second write. The script answers before it gets so far.",
            ),
            Guess(
                "The first, and an exception for the caller",
                "a duplicate is the caller's mistake, and is told so",
                "A caller who asks twice is a careful one. Duplicate is a value, and good news: the job is there.",
            ),
        ),
    ),
    "lost": Prediction(
        "The script has run, but its reply is lost on the wire: the caller sees an exception. It asks again with the "
        "same id. How many jobs are pending?",
        (
            Guess(
                "Two",
                "the script ran twice, and each of its runs writes one",
                "It did run twice. The second time it found the row, and a script that finds the row writes nothing.",
            ),
            Guess(
                "None",
                "an exception means failure, and an id that failed stays failed",
                "An exception means that the caller does not know. The engine knows, and it can be asked.",
            ),
            Guess(
                "One",
                "the id was there before both calls, and both carry it",
                "The name came before the call, so both calls are about one job. The second hears: duplicate.",
                right=True,
            ),
        ),
    ),
    "race": Prediction(
        "Two callers hold the same id. Each first asks whether the row is there, then writes it, in two commands. "
        "What can go wrong?",
        (
            Guess(
                "Both are told: enqueued",
                "both may look before either writes, and find no row",
                "And the second write takes the first one's payload away, with a receipt already given for it.",
                right=True,
            ),
            Guess(
                "Nothing",
                "each of them looks first, and writes only if nothing is there",
                "Each looks, but what it saw can be out of date by the time it writes.",
            ),
            Guess(
                "Neither is told: enqueued",
                "they block each other: each waits for the other's write",
                "Nothing here blocks: there is no lock to wait for. That is the trouble.",
            ),
        ),
    ),
}

FOLLOWED: Final = (
    ("JOB0Nvmd8aV5iy", "a"),
    ("JOB0Nvmd8gSfSK", "a"),
    ("JOB0Nvmd8aV5iy", "b"),
    ("ORD0Nt6z93U3dY", "a"),
    ("JOB0Nvmd8gSfSK", "a"),
)
"""The calls of exercise 1, in order, on an empty queue: an id and a payload."""


def _answers(answer: object) -> str:
    given, right = as_list(answer, "a list of answers, one for each call", ordered=True), [1, 1, 0, "EMQKIND", 0]
    if len(given) != len(right):
        raise Mistake(f"expected {len(right)} answers, one for each call; got {len(given)}")
    if strange := [one for one in given if one not in (1, 0, "EMQKIND")]:
        raise Mistake(f'the answers are the numbers 1 and 0, and the text "EMQKIND"; got {strange[0]!r}')
    if given == right:
        return "the id alone decides: its kind first, then whether it was here before. The payload has no say."
    if given == [0, 0, 1, "EMQKIND", 1]:
        raise Mistake("1 is enqueued, 0 is duplicate: yours are exchanged.")
    if given[2] == 1:
        raise Mistake("the third call has another payload, but the same id: the id is the job, whatever it carries.")
    if given[4] == 1:
        raise Mistake("the fifth call repeats the second. A refusal in between has changed nothing.")
    if given[3] in (0, 1):
        raise Mistake(
            "the fourth id is an order's. Policy is asked before anything else, and it answers by an error class."
        )
    if "EMQKIND" in (given[2], given[4]):
        raise Mistake("EMQKIND is for other kinds. A job that is already there is a duplicate, which is a success.")
    raise Mistake("not yet: for each call ask first for its kind, then whether its id was enqueued before.")


_REFUSED: Final = (
    "EMQKIND job id must be JOB-namespaced",
    "EMQKIND job id must be JOB-namespaced script: 7d31, on @user_script:1.",
    "EMQKIND only work may be enqueued here",
)
_OTHER: Final = (
    ("WRONGTYPE Operation against a key holding the wrong kind of value", "another class altogether"),
    ("NOSCRIPT no EMQKIND here", "a message that mentions the class further on: look at the first word only"),
    ("EMQKINDLY ask again", "a class that only begins like it: compare the whole first word"),
)


def _is_refusal(answer: object) -> str:
    if not callable(answer):
        raise Mistake(f"expected a function of one message; got {type(answer).__name__}")
    says: Callable[[str], object] = answer
    if not says(_REFUSED[0]):
        raise Mistake("it does not know the script's own message: its first word is the class.")
    if not says(_REFUSED[1]):
        raise Mistake(
            "it wants the whole message. An engine may put words of its own behind it: match the class, not the rest."
        )
    if not says(_REFUSED[2]):
        raise Mistake("it reads the sentence, which somebody may improve: compare the class.")
    for message, why in _OTHER:
        if says(message):
            raise Mistake(f"it takes {message!r} for a refusal, which is {why}.")
    return "the first word is the class, and the rest is for people."


class _OneTooMany(BaseException):
    """A call after the answer. No `except Exception` of a reader's may catch it, or its loop would never end."""


class _Line:
    """A bad line: a call on it plays the next of `outcomes`, an answer or an exception. Counts the calls."""

    def __init__(self, *outcomes: Any) -> None:
        self.outcomes: Iterator[Any] = iter(outcomes)
        self.calls = 0

    def __call__(self) -> Any:
        self.calls += 1
        for outcome in self.outcomes:
            if isinstance(outcome, Exception):
                raise outcome
            return outcome
        raise _OneTooMany


def _surely(answer: object) -> str:
    if not callable(answer):
        raise Mistake(f"expected a function that is given the call to make; got {type(answer).__name__}")
    try:
        return _asked(answer)
    except _OneTooMany:
        raise Mistake(
            "it goes on asking after it was told. Either answer will do: ENQUEUED (1) and DUPLICATE (0) both say that "
            "the job is there."
        ) from None


def _asked(ask: Callable[[_Line], object]) -> str:
    told = ask(line := _Line(Admission.ENQUEUED))
    if not line.calls:
        raise Mistake("it never makes the call that it is given.")
    if told is not True:
        raise Mistake("a first answer of ENQUEUED (1) says that the job is there: return True.")
    if ask(_Line(Admission.DUPLICATE)) is not True:
        raise Mistake(
            "DUPLICATE is 0, so false to Python's if, but it is a success: the job is there. Return True for it too."
        )
    for losses in (1, 3):
        line = _Line(*[ConnectionError("the reply was lost on the wire")] * losses, Admission.DUPLICATE)
        try:
            told = ask(line)
        except ConnectionError:
            raise Mistake(f"it gives up at lost reply number {line.calls}. The id is the receipt: ask again.") from None
        if line.calls <= losses and told is True:
            raise Mistake(
                "it says that the job is there after a lost reply, without having asked again. Nobody has answered yet."
            )
        if line.calls <= losses:
            times = "a lost reply" if line.calls == 1 else f"{line.calls} lost replies"
            raise Mistake(f"it gave up after {times} and returned {told!r}: ask until you are answered.")
        if told is not True:
            raise Mistake("after a lost reply, DUPLICATE means that the lost call had worked: return True.")
    try:
        ask(_Line(KindRefused("EMQKIND job id must be JOB-namespaced"), Admission.DUPLICATE))
    except KindRefused:
        return "ask again on doubt, take either answer, and let a refusal through: asking again would not change it."
    raise Mistake("it swallows the refusal of a kind. That is an answer, not a doubt: let it through.")


EXERCISES: Final = {
    "1": Check("Say what each of five calls answers.", _answers),
    "2": Check("Recognise a refusal by its class.", _is_refusal),
    "3": Check("Ask until told.", _surely),
}
