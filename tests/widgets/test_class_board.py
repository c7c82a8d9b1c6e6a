"""The class board: what it draws from data, that it follows the queue, and that it stops."""

import csv
import io
import threading
import time

import pytest

from emq import BrandedId, Jobs
from emq.keys import Keys
from emq.nodes import LeasedMint
from emq.widgets import ClassBoard, class_board
from emq.widgets.class_board import NEWEST, Board, board_csv, class_board_frames
from emq.widgets.stage import wire_frames
from tests.widgets.helpers import HOSTILE

START = BrandedId("JOB0Nvmd8aV5iy").unix_ms


def ids(*nodes: int) -> list[BrandedId]:
    """One id for each node, newest first."""
    return [BrandedId.compose("JOB", START + at, node) for at, node in enumerate(nodes)][::-1]


@pytest.fixture
def board(client, queue):
    made = ClassBoard(client, queue, live=False)
    yield made
    made.close()


def wait_for(holds) -> None:
    end = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_the_newest_stand_first_and_the_busiest_minter_too() -> None:
    board = Board("class", 4, ids(1, 2, 2, 3), {2: "Grace"}, 1.5)
    (frame,) = class_board_frames(board)
    places = [frame.html.index(f'data-key="{job_id}"') for job_id in board.ids]
    assert places == sorted(places)
    assert board.by_node == [(2, 2), (1, 1), (3, 1)]
    assert "Grace · 2" in frame.html
    assert "node 3" in frame.html
    assert "1.5" in frame.html
    assert board.ids[0] in frame.caption
    assert board.ids[-1] in frame.caption


def test_only_the_newest_are_listed_and_a_part_is_called_a_part() -> None:
    (frame,) = class_board_frames(Board("class", 99, ids(*range(20))))
    assert frame.html.count('data-key="JOB') == NEWEST
    assert "cover the newest 20" in frame.caption


def test_an_empty_queue_has_a_picture_too() -> None:
    (frame,) = class_board_frames(Board("class", 0, ()))
    assert "Nothing is pending yet" in frame.html


def test_names_are_text_on_the_board_and_in_the_file() -> None:
    names = {1: HOSTILE, 2: "=1+1", 3: '"quoted", and more'}
    board = Board("class", 3, ids(1, 2, 3), names)
    (frame,) = wire_frames(class_board_frames(board))
    assert "<img" not in frame["html"] + frame["caption"]
    rows = list(csv.DictReader(io.StringIO(board_csv(board))))
    assert [row["name"] for row in rows] == [HOSTILE, "'=1+1", '"quoted", and more']
    assert [row["id"] for row in rows] == list(reversed(board.ids))
    assert rows[0]["minted_at"] == "2026-06-12T23:39:40.564+00:00"


def test_it_shows_what_is_there_and_who_minted_it(client, queue, board) -> None:
    with LeasedMint(client, queue, "Ada") as ada:
        job_id = ada()
        Jobs(client, queue).enqueue(job_id, "")
        seen = board.look()
    assert (seen.size, list(seen.ids), seen.names) == (1, [job_id], {job_id.node: "Ada"})
    assert "Ada" in board.stage.frames[0].html
    assert board.look().names == {job_id.node: "Ada"}, "who has left is still known"


def test_nothing_is_redrawn_when_nothing_changed(board) -> None:
    heard = []
    board.stage.observe(heard.append, "frames")
    board.look()
    board.look()
    assert heard == []


def test_it_follows_pauses_goes_on_and_stops(client, queue) -> None:
    jobs, minted = Jobs(client, queue), ids(1, 2, 3)
    board = ClassBoard(client, queue)
    try:
        jobs.enqueue(minted[0], "")
        wait_for(lambda: board.board.size == 1)
        assert "Paused" in board.toggle()
        assert not board.running
        jobs.enqueue(minted[1], "")
        time.sleep(2 * class_board.LOOK_EVERY)
        assert board.board.size == 1
        board.toggle()
        wait_for(lambda: board.board.size == 2)
    finally:
        board.close()
    assert not [thread for thread in threading.enumerate() if thread.name == f"board-{queue}"]


def test_an_engine_that_is_away_is_said_and_looked_for_again(client, queue, monkeypatch) -> None:
    board = ClassBoard(client, queue)
    try:
        with monkeypatch.context() as away:
            away.setattr(board._jobs, "pending_size", lambda: 1 / 0)
            wait_for(lambda: "ZeroDivisionError" in board._says.value)
        wait_for(lambda: "answers again" in board._says.value)
    finally:
        board.close()


def test_a_fault_at_the_very_start_is_taken_back_once_it_is_gone(client, queue) -> None:
    client.zadd(Keys(queue).pending, {"rogue": 0})
    board = ClassBoard(client, queue)
    try:
        assert "emq-says-error" in board._says.value
        client.zrem(Keys(queue).pending, "rogue")
        wait_for(lambda: "answers again" in board._says.value)
    finally:
        board.close()


def test_emptying_removes_jobs_and_rows_and_leaves_the_leases(client, queue, board) -> None:
    with LeasedMint(client, queue, "Ada") as ada:
        for _ in range(3):
            Jobs(client, queue).enqueue(ada(), "")
        board.look()
        assert board.empty() == "3 jobs removed."
        left = sorted(key.decode() for key in client.scan_iter(f"emq:{{{queue}}}:*"))
        assert left == [f"emq:{{{queue}}}:node:{ada.node}", f"emq:{{{queue}}}:nodes"]
    assert board.board.size == 0


def test_export_writes_a_file_and_never_over_another(client, queue, board, tmp_path) -> None:
    Jobs(client, queue).enqueue(ids(1)[0], "")
    board.look()
    said = board.export(tmp_path)
    (file,) = tmp_path.iterdir()
    assert file.name in said
    assert file.read_text() == board_csv(board.board)


def test_an_engine_that_is_gone_is_shown_when_the_board_is_reset(board, monkeypatch) -> None:
    monkeypatch.setattr(board._jobs, "pending_size", lambda: 1 / 0)
    board.reset()
    assert "ZeroDivisionError" in board._says.value


def test_what_is_no_id_is_shown_and_can_be_emptied_too(client, queue) -> None:
    Jobs(client, queue).enqueue(ids(1)[0], "")
    client.zadd(Keys(queue).pending, {"rogue": 0, b"\xff": 0})
    board = ClassBoard(client, queue, live=False)
    try:
        assert "emq-says-error" in board._says.value
        assert "rogue" in board._says.value or "xff" in board._says.value
        assert board.empty() == "3 jobs removed."
        assert list(client.scan_iter(f"emq:{{{queue}}}:*")) == []
        assert board.board.size == 0
    finally:
        board.close()


def test_reset_looks_again(client, queue, board) -> None:
    Jobs(client, queue).enqueue(ids(1)[0], "")
    board.reset()
    assert board.board.size == 1


def test_the_rate_is_jobs_a_second_over_the_last_seconds(client, queue, board, monkeypatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(class_board.time, "monotonic", lambda: now[0])
    board._sizes.clear()
    board.look()
    for job_id in ids(1, 2, 3, 4):
        Jobs(client, queue).enqueue(job_id, "")
    now[0] += 2
    assert board.look().rate == 2
    now[0] += 10
    assert board.look().rate == 0
