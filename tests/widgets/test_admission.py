"""Admission: the lines shown are the lines that ran, and the keys shown are the engine's."""

import pytest

from emq.engine import EMBEDDED, connect
from emq.errors import InvalidId, InvalidPayload
from emq.ids import BrandedId
from emq.jobs import SCRIPT
from emq.rung import ORDER
from emq.widgets import AdmissionSteps, admission
from emq.widgets.admission import CALLS, FIRST, JOB, Call, acts, admission_frames, run_script, statements
from emq.widgets.stage import wire_frames
from tests.widgets.helpers import HOSTILE, press, scene, text

PENDING, ROW = "emq:{orders}:pending", f"emq:{{orders}}:job:{JOB}"


def ran(run: admission.Run) -> list[str]:
    return [SCRIPT.splitlines()[step.line - 1].strip().partition("(")[0] for step in run.steps]


@pytest.fixture(scope="module")
def runs() -> list[admission.Run]:
    return [run_script(call, CALLS[:at]) for at, call in enumerate(CALLS)]


def test_the_acts_stand_at_the_scripts_own_markers() -> None:
    lines = SCRIPT.splitlines()
    assert [lines[span.start - 1].partition(":")[0] for span in acts().values()] == [
        "-- policy",
        "-- existence",
        "-- write",
    ]
    assert acts()["write"].stop == len(lines) + 1
    for span in acts().values():
        assert any(line.strip().startswith("return") for line in lines[span.start - 1 : span.stop - 1])


@pytest.mark.parametrize(
    "script",
    [
        SCRIPT.replace("-- existence", "-- is it there"),
        SCRIPT.replace("-- policy", "-- existence", 1),
        SCRIPT + "\n-- write\n",
        "return 1",
    ],
)
def test_a_script_without_its_three_markers_is_refused(script: str) -> None:
    with pytest.raises(ValueError, match="policy, existence, write"):
        acts(script)


def test_an_edit_moves_the_lines_with_it() -> None:
    moved = SCRIPT.replace("-- policy", "-- one more comment\n-- policy")
    assert [span.start for span in acts(moved).values()] == [span.start + 1 for span in acts().values()]
    assert statements(moved) == tuple(line + 1 for line in statements())


def test_the_lines_shown_are_those_that_an_engine_reports_itself(runs: list[admission.Run]) -> None:
    """The same script, this time writing down each line as it comes by: another way to the same truth."""
    probed = [
        f"redis.call('RPUSH', 'trace', {at}) {line}" if at in statements() else line
        for at, line in enumerate(SCRIPT.splitlines(), 1)
    ]
    client = connect(EMBEDDED)
    for run in runs:
        client.delete("trace")
        admission._send(client, "\n".join(probed), run.call)
        assert [int(line) for line in client.lrange("trace", 0, -1)] == [step.line for step in run.steps]


def test_a_new_id_runs_to_the_end(runs: list[admission.Run]) -> None:
    run = runs[0]
    assert ran(run) == ["if string.sub", "if redis.call", "redis.call", "redis.call", "return 1"]
    assert (run.reply, run.act, run.before) == (1, "write", {})
    assert [sorted(step.keys) for step in run.steps] == [[], [], [PENDING], [ROW, PENDING], [ROW, PENDING]]
    assert run.steps[-1].keys == {
        PENDING: ((JOB, "score 0"),),
        ROW: (("state", b"pending"), ("attempts", b"0"), ("payload", FIRST)),
    }


def test_the_same_again_stops_at_existence_and_touches_nothing(runs: list[admission.Run]) -> None:
    run = runs[1]
    assert ran(run) == ["if string.sub", "if redis.call", "return 0"]
    assert (run.reply, run.act) == (0, "existence")
    assert run.call.payload != FIRST
    assert all(step.keys == run.before == runs[0].steps[-1].keys for step in run.steps)


def test_an_order_stops_at_policy_before_any_key_is_looked_at(runs: list[admission.Run]) -> None:
    run = runs[2]
    assert run.call.job_id == ORDER
    assert ran(run) == ["if string.sub", "return redis.error_reply"]
    assert (str(run.reply), run.act) == ("EMQKIND job id must be JOB-namespaced", "policy")
    assert run.steps[-1].keys == run.before


def test_the_frames_ask_first_and_answer_each_guess(runs: list[admission.Run]) -> None:
    frames = admission_frames(runs)
    wired = wire_frames(frames)
    start = 0
    for run in runs:
        asked = wired[start]
        assert [choice["label"] for choice in asked["choices"]] == ["In policy", "In existence", "At the end of write"]
        right = [
            act
            for act, choice in zip(acts(), asked["choices"], strict=True)
            if "Yes." in frames[choice["goto"]].caption
        ]
        assert right == [run.act]
        for choice in asked["choices"]:
            answer = wired[choice["goto"]]
            assert [each["pressed"] for each in answer["choices"]].count(True) == 1
            assert answer["choices"][-1] == {"label": "Step through it", "goto": start + 1, "pressed": False}
        start += 1 + len(run.steps) + len(acts())
    assert start == len(frames)


def test_the_reply_is_not_shown_before_the_script_has_ended(runs: list[admission.Run]) -> None:
    frames = admission_frames(runs[2:])
    steps = [text(frame.html) for frame in frames[: 1 + len(runs[2].steps)]]
    assert ["no reply yet" in step for step in steps] == [True, True, False]
    assert "(error) EMQKIND job id must be JOB-namespaced" in steps[-1]


def test_own_calls_follow_one_another_and_reset_begins_again() -> None:
    widget = AdmissionSteps()
    first = [frame.html for frame in widget.stage.frames]
    for stops in ("It answers 1", "It stops here and answers 0"):
        widget.enqueue("JOB0Nvmd8gSfSK", "a")
        assert widget.stage.index == len(first)
        assert stops in text(scene(widget.stage.frames, "run 3")[-1].caption)
    widget._ask.fields[0].value = "x"
    widget.reset()
    assert [field.value for field in widget._ask.fields] == [JOB, FIRST.decode()]
    assert widget.stage.index == 0
    assert [frame.html for frame in widget.stage.frames] == first
    widget.enqueue("JOB0Nvmd8gSfSK", "a")
    assert "It answers 1" in text(scene(widget.stage.frames, "run 3")[-1].caption)


def test_an_ill_formed_id_is_refused_before_the_wire_and_says_so_in_the_widget() -> None:
    widget = AdmissionSteps()
    with pytest.raises(InvalidId):
        widget.enqueue(HOSTILE, "a")
    with pytest.raises(InvalidPayload):
        widget.enqueue(JOB, "\ud800")
    widget._ask.fields[0].value = HOSTILE
    press(widget, "Enqueue")
    assert "expected" in widget._says.value
    assert "&lt;/scRipt" in widget._says.value
    assert widget.stage.index == 0


def test_a_fault_in_a_callback_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    widget = AdmissionSteps()
    monkeypatch.setattr(admission, "run_script", lambda *_: 1 / 0)
    press(widget, "Enqueue")
    assert "ZeroDivisionError" in widget._says.value


@pytest.mark.parametrize("payload", [HOSTILE.encode(), b"\x00\r\n\xff", b"<!--", b""])
def test_a_payload_stays_text(payload: bytes) -> None:
    run = run_script(Call(HOSTILE, BrandedId("JOB0Nvmd8gSfSK"), payload))
    wired = wire_frames(admission_frames([run]))
    assert run.steps[-1].keys["emq:{orders}:job:JOB0Nvmd8gSfSK"][-1] == ("payload", payload)
    assert not any("<img" in part for frame in wired for part in (frame["html"], frame["caption"]))


def test_a_long_queue_shows_what_the_call_is_about() -> None:
    widget = AdmissionSteps()
    for last in "ABCDEFGA":
        widget.enqueue(f"JOB0Nvmd8gSfS{last}", last)
    shown = text(widget.stage.frames[-4].html)
    members = [f"JOB0Nvmd8gSfS{last}score" for last in "ABCDEFG"]
    assert [member in shown for member in members] == [True, False, False, False, True, True, True]
    assert "… 3 more" in shown
    assert shown.count("attempts") == 2  # the script's own, and one row
