"""Predict, then see: a reply for each guess, right and wrong told apart, and the guesses still on offer."""

import re

import pytest

from emq.widgets.predict import Guess, Predict, Prediction, predict_frames
from tests.widgets.helpers import text

RIGHT = Guess("Up", "hot air rises", "It does.", right=True)
WRONG = Guess("Down", "<b>everything</b> falls", "Not a balloon.")


def test_the_question_comes_before_any_answer() -> None:
    first = predict_frames(Prediction("Where does it go?", (RIGHT, WRONG)))[0]
    assert "Where does it go?" in text(first.html)
    assert "It does." not in first.html + first.caption


def test_each_guess_has_its_reply_and_is_marked_as_picked() -> None:
    _, right, wrong = predict_frames(Prediction("Where does it go?", (RIGHT, WRONG)))
    assert text(right.caption) == "Yes. It does."
    assert text(wrong.caption) == "Look again. Not a balloon."
    for at, frame in enumerate((right, wrong)):
        picked = re.findall(r'data-key="guess-(\d)" aria-pressed="true"', frame.html)
        assert picked == [str(at)]
        assert re.findall(r'data-goto="(\d)"', frame.html) == ["1", "2"]


def test_reasons_are_text() -> None:
    assert "<b>everything" not in predict_frames(Prediction("?", (RIGHT, WRONG)))[0].html


@pytest.mark.parametrize("guesses", [(RIGHT,), (WRONG, WRONG), ()])
def test_a_question_needs_a_right_answer_and_another(guesses: tuple[Guess, ...]) -> None:
    with pytest.raises(ValueError, match="expected two guesses or more, one of them right"):
        Prediction("?", guesses)


def test_the_widget_starts_at_the_question() -> None:
    widget = Predict(Prediction("?", (RIGHT, WRONG)))
    assert widget.index == 0
    assert repr(widget) == "Predict('Predict, then see', 3 frames)"
