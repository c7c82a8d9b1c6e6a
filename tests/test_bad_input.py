"""The bad-input table: clean, and able to be otherwise."""

import pytest

from emq import BrandedId
from emq.errors import InvalidId
from tools import bad_input

SEED = 20260612


def test_nothing_is_taken_or_refused_wrongly_and_nothing_crashes() -> None:
    fed = bad_input.run(30_000, SEED)
    for kind in fed:
        assert {fault: found[:3] for fault, found in kind.wrong.items() if found} == {}, kind.name
        assert kind.refused
        assert kind.taken or kind.name == "URLs"
    assert sum(kind.tried for kind in fed[:2]) == 30_000


def test_the_command_prints_a_row_a_kind(capsys: pytest.CaptureFixture[str]) -> None:
    assert bad_input.main(["--count", "2000", "--seed", str(SEED)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split("  ")[0] == "bad input"
    assert [line.split("  ")[0] for line in lines[1:-1]] == [kind.name for kind in bad_input.kinds()]
    assert lines[-1] == f"seed {SEED}"


def refuse_all(text: object) -> BrandedId:
    raise InvalidId("no")


def crash(text: object) -> BrandedId:
    raise KeyError(text)


@pytest.mark.parametrize(
    ("take", "fault"),
    [
        (str, "taken wrongly"),
        (refuse_all, "refused wrongly"),
        (crash, "crashed"),
        (lambda text: refuse_all(0) if bad_input.is_id(text) else crash(text), "crashed"),
    ],
)
def test_a_row_that_is_not_clean_fails_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], take: object, fault: str
) -> None:
    broken = bad_input.kinds()[:1]
    broken[0].take = take  # type: ignore[assignment]
    monkeypatch.setattr(bad_input, "kinds", lambda: broken)
    assert bad_input.main(["--count", "200", "--seed", str(SEED)]) == 1
    assert f"ids, {fault}: " in capsys.readouterr().out


def test_a_message_that_tells_a_secret_is_a_crash() -> None:
    def telling(url: object) -> None:
        raise InvalidId(f"cannot read {url}")

    kind = next(kind for kind in bad_input.kinds() if kind.name == "URLs")
    kind.take = telling
    kind.feed(bad_input.Random(SEED), 50)
    assert kind.wrong["crashed"]
