"""Free input: whatever an action says or raises is shown, as text, and nothing vanishes."""

import pytest

from emq.errors import InvalidId
from emq.widgets.ask import Act, Ask, Says
from tests.widgets.helpers import press


def test_what_an_action_returns_is_said() -> None:
    says = Says()
    press(Act("Go", lambda: "went", says), "Go")
    assert says.value == '<p role="status">went</p>'


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (InvalidId("expected <14>"), "expected &lt;14&gt;"),
        (ZeroDivisionError("by zero"), "ZeroDivisionError: by zero"),
    ],
)
def test_an_error_in_a_callback_is_shown_never_swallowed(error: Exception, shown: str) -> None:
    def fail() -> str:
        raise error

    says = Says()
    press(Act("Go", fail, says), "Go")
    assert says.value == f'<p class="emq-says-error" role="status">{shown}</p>'


def test_enter_and_the_button_run_the_action_and_restore_does_not() -> None:
    seen: list[str] = []
    ask = Ask("Id", "first", "Decode", seen.append, Says())
    ask.field.value = "second"  # what Enter or leaving the field does
    press(ask, "Decode")
    assert seen == ["second", "second"]
    ask.restore()
    assert ask.field.value == "first"
    assert seen == ["second", "second"]
    ask.field.value = "third"
    assert seen[-1] == "third"


def test_an_error_without_words_is_named() -> None:
    class Wordless(Exception):
        def __str__(self) -> str:
            raise ValueError("no words")

    def act() -> None:
        raise Wordless

    says = Says()
    says.act(act)
    assert "Wordless" in says.value
