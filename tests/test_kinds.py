"""The registry of kinds: each namespace once, with its line, for ever."""

import pytest

from emq.errors import EmqError, InvalidId, InvalidKind, KindTaken
from emq.kinds import Kinds


def test_the_seeds_kinds_stand_in_every_new_one() -> None:
    assert list(Kinds()) == ["ORD", "ARC"]
    assert len(Kinds()) == 2
    assert Kinds()["ORD"].startswith("an order")


def test_registering_grows_it_by_exactly_one() -> None:
    kinds = Kinds()
    kinds.register("JOB", "work")
    assert (len(kinds), kinds["JOB"], "JOB" in kinds) == (3, "work", True)
    assert "JOB" not in Kinds()  # no two registries share what they hold


def test_a_namespace_is_registered_once() -> None:
    kinds = Kinds()
    kinds.register("JOB", "work")
    with pytest.raises(KindTaken) as caught:
        kinds.register("JOB", "a job")
    assert str(caught.value) == "expected a new namespace; JOB already names 'work'"
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, EmqError)
    assert (kinds["JOB"], len(kinds)) == ("work", 3)


@pytest.mark.parametrize(
    ("namespace", "message"),
    [
        ("job", "expected a namespace of three letters A-Z; got 'j' at character 1 in 'job'"),
        ("JOBS", "expected a namespace of three letters A-Z; got 4 in 'JOBS'"),
        ("J0B", "got '0' at character 2"),
        ("ÄÖÜ", "got 'Ä' at character 1"),
        (None, "expected a namespace of three letters A-Z, a str; got None"),
    ],
)
def test_an_ill_formed_namespace_is_refused(namespace: object, message: str) -> None:
    kinds = Kinds()
    with pytest.raises(InvalidId) as caught:
        kinds.register(namespace, "work")  # type: ignore[arg-type]
    assert message in str(caught.value)
    assert len(kinds) == 2


@pytest.mark.parametrize("line", ["", "  \n", None, 7])
def test_a_kind_says_what_it_names(line: object) -> None:
    kinds = Kinds()
    with pytest.raises(InvalidKind, match="expected a line that says what JOB names; got"):
        kinds.register("JOB", line)  # type: ignore[arg-type]
    assert "JOB" not in kinds


def test_there_is_no_way_back() -> None:
    kinds = Kinds()
    with pytest.raises(TypeError):
        del kinds["ORD"]  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        kinds["ORD"] = "another"  # type: ignore[index]
