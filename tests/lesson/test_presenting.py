"""One act puts the queue and every picture back; one switch makes the type large."""

import pytest

from emq import EmqError, connect
from emq.lesson import engine_line, fresh, reset_all
from emq.lesson.presenting import CLASS_SIZE
from emq.widgets import AdmissionSteps, Frame, Record, Stage
from tests.widgets.helpers import press


@pytest.fixture(autouse=True)
def _alone() -> None:
    Stage.alive.clear()  # a reset reaches every Stage of the process, and here those of other tests


def test_reset_all_puts_queue_and_widgets_back() -> None:
    client = connect("embedded://")
    jobs = fresh(client, "class")
    jobs.enqueue("JOB0Nvmd8aV5iy", "a")
    client.set("emq:{class}:left-by-a-lesson", "x")
    client.set("emq:{another}:pending", "not ours")
    stage = Stage([Frame("a", "a"), Frame("b", "b")], title="t")
    stage.index = 1
    admission, record = AdmissionSteps(), Record(client=client)
    admission._ask.fields[0].value = "other"
    admission.stage.index = 3
    record.run()
    assert reset_all(client, "class").pending_size() == 0
    assert client.keys() == [b"emq:{another}:pending"]
    assert (stage.index, admission.stage.index, record.stage.index) == (0, 0, 0)
    assert admission._ask.fields[0].value == "JOB0Nvmd8aV5iy"
    assert len(record.stage.frames) == len(Record().stage.frames)


def test_the_button_says_what_it_did_and_the_switch_dresses_the_page() -> None:
    controls = engine_line(connect("embedded://"), "class")
    assert repr(controls) == "Presenter('class')"
    assert "queue class is empty" in controls.reset()
    controls.class_size.value = True
    assert controls._style.value == CLASS_SIZE
    controls.class_size.value = False
    assert controls._style.value == ""


def test_a_dead_engine_shows_beside_the_button(monkeypatch: pytest.MonkeyPatch) -> None:
    client = connect("embedded://")
    controls = engine_line(client, "class")
    monkeypatch.setattr(client, "scan_iter", lambda *_, **__: 1 / 0)
    press(controls, "Reset queue and pictures")
    assert "ZeroDivisionError" in controls._says.value


def test_one_picture_that_cannot_be_reset_does_not_keep_the_others_from_it() -> None:
    client = connect("embedded://")
    controls = engine_line(client, "class")
    stages = [Stage([Frame("a", "a"), Frame("b", "b")], title="t") for _ in range(9)]
    for at, stage in enumerate(stages):
        stage.index = 1
        if at in (2, 5):
            stage.observe(lambda _: 1 / 0, "resets")
    with pytest.raises(EmqError, match=r"^2 of 10 could not be reset; the first: ZeroDivisionError: division by zero"):
        reset_all(client, "class")
    assert [stage.index for stage in stages] == [0] * 9
    press(controls, "Reset queue and pictures")
    assert "2 of 10 could not be reset" in controls._says.value


def test_pictures_are_reset_when_the_engine_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    client = connect("embedded://")
    stage = Stage([Frame("a", "a"), Frame("b", "b")], title="t")
    stage.index = 1
    monkeypatch.setattr(client, "scan_iter", lambda *_, **__: 1 / 0)
    with pytest.raises(EmqError, match="1 of 2 could not be reset; the first: ZeroDivisionError"):
        reset_all(client, "class")
    assert stage.index == 0


def test_without_a_queue_there_is_only_the_line() -> None:
    line = engine_line(connect("embedded://"))
    assert repr(line) == "EngineLine()"
    assert "embedded engine" in line.value
