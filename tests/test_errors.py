"""The errors: one base, and beside it the builtin that a caller would guess."""

import pytest

from emq import errors
from emq.errors import EmqError, show

BUILTINS: dict[type[EmqError], type[Exception]] = {
    errors.InvalidId: ValueError,
    errors.InvalidQueue: ValueError,
    errors.InvalidWindow: ValueError,
    errors.InvalidEngineUrl: ValueError,
    errors.InvalidKind: ValueError,
    errors.KindTaken: ValueError,
    errors.CargoRefused: ValueError,
    errors.InvalidPayload: TypeError,
    errors.EngineUnavailable: ConnectionError,
    errors.ForkedMint: RuntimeError,
    errors.InvalidHolder: ValueError,
    errors.InvalidLease: ValueError,
    errors.NodesTaken: RuntimeError,
    errors.KindRefused: Exception,
    errors.CorruptQueue: Exception,
}


@pytest.mark.parametrize(("error", "builtin"), BUILTINS.items())
def test_each_error_is_also_the_builtin_that_a_caller_would_guess(
    error: type[EmqError], builtin: type[Exception]
) -> None:
    assert issubclass(error, EmqError)
    assert issubclass(error, builtin)


def test_no_error_is_forgotten_above() -> None:
    public = {one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, Exception)}
    assert public - {EmqError} == set(BUILTINS)


def test_a_refused_kind_carries_the_wire_class() -> None:
    assert errors.KindRefused.code == "EMQKIND"


HUGE = [b"x" * 10**6, "x" * 10**6, 10**4000, 10**5000, [10**5000], ["x" * 100] * 10**5, object()]


@pytest.mark.parametrize("value", HUGE, ids=lambda value: type(value).__name__)
def test_a_shown_value_is_short(value: object) -> None:
    assert len(show(value)) < 600


def test_a_notebook_shows_an_engine_that_is_away_as_one_line() -> None:
    assert errors.EngineUnavailable("no engine at x:1: y")._render_traceback_() == [
        "EngineUnavailable: no engine at x:1: y"
    ]


def test_show_is_not_misled_by_the_name_of_a_type() -> None:
    """The standard library's short repr goes by a type's name, up to Python 3.11 without asking whose name it is."""
    for name in ("array", "str", "dict", "deque"):
        odd = type(name, (), {})()
        assert show(odd).startswith(f"<{name} instance at 0x") or name in show(odd)
