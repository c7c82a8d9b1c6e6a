"""Predict, then see: a question whose answers are guesses with their reasons.

A guess alone teaches little; the reason is what the answer can confirm or correct. So a reader picks both at once, and
the reply says what follows from that reason. Works without a kernel, since every reply is a frame.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

from emq.widgets.markup import esc, tag
from emq.widgets.stage import Frame, Stage


@dataclass(frozen=True)
class Guess:
    """`label` is the guess, `reason` why one would make it, `reply` what follows. All are plain text."""

    label: str
    reason: str
    reply: str
    right: bool = False


@dataclass(frozen=True)
class Prediction:
    """A question and at least two guesses, one or more of them right."""

    question: str
    guesses: Sequence[Guess]

    def __post_init__(self) -> None:
        if len(self.guesses) < 2 or not any(guess.right for guess in self.guesses):
            raise ValueError(f"expected two guesses or more, one of them right, for {self.question!r}")


def predict_frames(prediction: Prediction) -> list[Frame]:
    """The question, then one frame for each guess. The guesses stay on offer, so that a reader may go on looking."""
    guesses = prediction.guesses
    first = Frame(_picture(prediction, None), "Choose the guess whose reason is yours.")
    return [first, *(_reply(prediction, at) for at in range(len(guesses)))]


def _reply(prediction: Prediction, at: int) -> Frame:
    guess = prediction.guesses[at]
    verdict = tag("b", "Yes." if guess.right else "Look again.")
    return Frame(_picture(prediction, at), f"{verdict} {esc(guess.reply)}", scene=f"guess {at}")


def _picture(prediction: Prediction, picked: int | None) -> str:
    # The order of the cards says nothing of which is right, whatever the habits of the author; it is always the same.
    shuffled = sorted(
        enumerate(prediction.guesses), key=lambda pair: crc32(f"{prediction.question} {pair[1].label}".encode())
    )
    cards = (
        tag(
            "button",
            tag("span", esc(guess.label), cls="emq-guess-label"),
            tag("span", esc(f"because {guess.reason}"), cls="emq-guess-reason"),
            type="button",
            cls="emq-card emq-guess",
            data_goto=at + 1,
            data_key=f"guess-{at}",
            aria_pressed="true" if at == picked else "false",
        )
        for at, guess in shuffled
    )
    return tag("p", esc(prediction.question), cls="emq-question") + tag("div", *cards, cls="emq-guesses")


class Predict(Stage):
    """The question on a Stage."""

    def __init__(self, prediction: Prediction) -> None:
        super().__init__(predict_frames(prediction), title="Predict, then see")
