"""Node numbers on lease: one holder each, given back, run out, renewed, and all taken; and a class of thirty."""

import copy
import multiprocessing
import pickle
import time
from contextlib import ExitStack
from functools import partial
from typing import Any

import pytest

from emq import Jobs, connect, nodes
from emq.errors import EngineUnavailable, InvalidHolder, InvalidLease, NodesTaken
from emq.ids import NODES
from emq.keys import Keys
from emq.nodes import LeasedMint, holders
from emq.widgets import ClassBoard
from tests.forks import in_a_fork
from tests.threads import in_threads

STUDENTS, JOBS_EACH = 30, 25


@pytest.fixture
def leased(client, queue):
    with ExitStack() as stack:
        yield lambda name, **options: stack.enter_context(LeasedMint(client, queue, name, **options))


def test_each_gets_a_number_of_its_own_and_is_named(client, queue, leased) -> None:
    ada, grace = leased("Ada"), leased("Grace")
    assert ada.node != grace.node
    assert holders(client, queue) == {ada.node: "Ada", grace.node: "Grace"}
    assert ada().node == ada.node
    assert ada() < ada()


def test_a_number_given_back_rests_and_is_not_the_next(client, queue, leased) -> None:
    with LeasedMint(client, queue, "Ada") as ada:
        node = ada.node
    assert holders(client, queue) == {}
    assert leased("Grace").node != node
    assert 0 < client.pttl(Keys(queue).node(node)) <= nodes.REST_MS


def test_a_lease_runs_out_by_itself(client, queue) -> None:
    LeasedMint(client, queue, "Ada", lease_ms=1000)
    time.sleep(1.1)
    assert holders(client, queue) == {}


def test_minting_renews_the_lease(client, queue, leased) -> None:
    ada = leased("Ada", lease_ms=1500)
    node, key = ada.node, Keys(queue).node(ada.node)
    end = time.monotonic() + 2.5
    while time.monotonic() < end:
        assert ada().node == node
        time.sleep(0.05)
    assert client.pttl(key) > 0


def test_who_was_away_too_long_gets_another_number_and_never_mints_on_the_old_one(client, queue, leased) -> None:
    ada = leased("Ada", lease_ms=1000)
    old = ada.node
    time.sleep(1.1)
    client.set(Keys(queue).node(old), "0 Mallory", px=60_000)
    assert ada().node != old
    assert holders(client, queue)[old] == "Mallory"


def test_nobody_gives_back_or_renews_what_is_anothers(client, queue) -> None:
    ada = LeasedMint(client, queue, "Ada")
    old = ada.node
    client.set(Keys(queue).node(old), "0 Mallory", px=60_000)
    ada.renew()
    assert ada.node != old
    client.set(Keys(queue).node(ada.node), "0 Mallory", px=60_000)
    ada.close()
    assert holders(client, queue) == {old: "Mallory", ada.node: "Mallory"}


def test_all_taken_is_said_with_the_time_until_one_is_free(client, queue) -> None:
    pipeline = client.pipeline(transaction=False)
    for node in range(NODES):
        pipeline.set(Keys(queue).node(node), f"0 student {node}", px=90_000)
    pipeline.execute()
    with pytest.raises(NodesTaken, match=rf"all {NODES} of {queue} are leased\. The next .* in (89|90) s"):
        LeasedMint(client, queue, "late")
    client.delete(Keys(queue).node(77))
    with LeasedMint(client, queue, "late") as late:
        assert late.node == 77


class Elapsed:
    """Seconds that pass when the test says so, as they do for a laptop whose lid was closed."""

    def __init__(self) -> None:
        self.now = 5.0

    def __call__(self) -> float:
        return self.now


def test_who_slept_through_the_lease_takes_a_new_number_before_minting(client, queue) -> None:
    """Half the lease is gone by every clock that stands still in suspend; the engine's went on."""
    elapsed = Elapsed()
    with LeasedMint(client, queue, "Ada", elapsed=elapsed) as ada:
        old = ada.node
        client.set(Keys(queue).node(old), "0 Mallory", px=60_000)  # the lease had run out, and another took it
        elapsed.now += nodes.LEASE_MS / 1000 + 1
        assert ada().node == ada.node != old


def test_who_falls_asleep_in_the_midst_of_minting_drops_the_id(client, queue) -> None:
    """Between the look at the lease and the id a machine can sleep for hours: what it mints then is not given out."""
    elapsed, slept = Elapsed(), []

    def clock() -> int:
        if not slept:
            slept.append(ada.node)
            client.set(Keys(queue).node(ada.node), "0 Mallory", px=60_000)
            elapsed.now += 3600
        return 1_781_307_580_564

    with LeasedMint(client, queue, "Ada", clock=clock, elapsed=elapsed) as ada:
        assert ada().node == ada.node
        assert [ada.node] != slept


def test_an_engine_slower_than_the_lease_is_said(client, queue) -> None:
    elapsed = Elapsed()

    def clock() -> int:
        elapsed.now += 3600
        return 1_781_307_580_564

    with (
        LeasedMint(client, queue, "Ada", clock=clock, elapsed=elapsed) as ada,
        pytest.raises(EngineUnavailable, match="expected an id within the lease of 60000 ms; it ran out"),
    ):
        ada()


def test_the_lease_is_timed_by_a_clock_that_goes_on_in_suspend() -> None:
    assert nodes.ELAPSED.args == (time.CLOCK_BOOTTIME,)
    assert nodes.ELAPSED() > 0


def test_where_there_is_no_such_clock_the_monotonic_one_does(monkeypatch) -> None:
    def no_clock(_: int) -> float:
        raise OSError("no such clock")

    monkeypatch.setattr(nodes.time, "clock_gettime", no_clock)
    assert nodes._best_clock() is time.monotonic


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_child_is_refused_even_while_its_parent_held_the_lock(client, queue, leased) -> None:
    ada = leased("Ada")
    with ada._lock:
        assert in_a_fork(ada) == "ForkedMint"
        assert in_a_fork(ada.renew) == "ForkedMint"


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_child_does_not_give_its_parents_number_back(client, queue, leased) -> None:
    ada = leased("Ada")
    with ada._lock:
        assert in_a_fork(ada.close) == "None"
    assert holders(client, queue) == {ada.node: "Ada"}


def test_a_lease_is_not_copied(client, queue, leased) -> None:
    for twice in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="a node lease cannot be copied"):
            twice(leased("Ada"))


@pytest.mark.parametrize("name", ["", "x" * 41, "two\nlines", None, 7])
def test_a_name_is_short_and_printable(client, queue, name) -> None:
    with pytest.raises(InvalidHolder, match="printable"):
        LeasedMint(client, queue, name)


@pytest.mark.parametrize("lease_ms", [0, 999, 86_400_001, 1.5, True])
def test_a_lease_is_a_second_to_a_day(client, queue, lease_ms) -> None:
    with pytest.raises(InvalidLease, match="lease"):
        LeasedMint(client, queue, "Ada", lease_ms=lease_ms)


def test_fifty_at_once_get_fifty_numbers(client, queue, leased) -> None:
    taken = in_threads([lambda: LeasedMint(client, queue, "one of many").node] * 50)
    assert len(set(taken)) == 50


def test_who_looked_too_early_does_not_take_what_is_anothers(client, queue, leased, monkeypatch) -> None:
    """Two that see the same number free, in the same turn: the second one's SET finds it taken."""
    ada = leased("Ada")
    monkeypatch.setattr(nodes, "raw", lambda *_: [None] * NODES)
    client.delete(Keys(queue).nodes)
    grace = leased("Grace")
    monkeypatch.undo()
    assert grace.node != ada.node
    assert holders(client, queue) == {ada.node: "Ada", grace.node: "Grace"}


def test_thirty_minters_whose_clock_stands_still_mint_no_id_twice(client, queue, leased) -> None:
    clock_stands = 1_781_307_580_564
    minters = [leased(f"student {at}", clock=lambda: clock_stands) for at in range(30)]
    ids = [mint() for mint in minters for _ in range(20)]
    assert len(set(ids)) == len(ids)


def _student(url: str, queue: str, at: int, ready: Any, minted: Any) -> None:
    """What one student does: a job into the class queue and into one's own, about five times a second."""
    client = connect(url)
    with LeasedMint(client, queue, f"student {at}") as mint:
        shared, own, ids = Jobs(client, queue), Jobs(client, f"{queue}-{at}"), []
        ready.wait(timeout=120)
        for _ in range(JOBS_EACH):
            ids.append(mint())
            shared.enqueue(ids[-1], "")
            own.enqueue(ids[-1], "")
            time.sleep(0.2)
        assert own.browse(JOBS_EACH + 1, oldest_first=True) == ids
    minted.put([str(job_id) for job_id in ids])


def _desk(url: str, queue: str, students: range, ready: Any, minted: Any) -> None:
    """Some of the class in one process: thirty Pythons would strain a small machine more than thirty students do."""
    in_threads([partial(_student, url, queue, at, ready, minted) for at in students])


def test_a_class_of_thirty(valkey_engine, queue) -> None:
    """No id twice, every job on the board, the board at most a second behind."""
    spawn = multiprocessing.get_context("spawn")
    minted, ready = spawn.Queue(), spawn.Barrier(STUDENTS + 1)
    client = connect(valkey_engine.url)
    desks = [
        spawn.Process(target=_desk, args=(valkey_engine.url, queue, range(at, at + 6), ready, minted))
        for at in range(0, STUDENTS, 6)
    ]
    board, behind, ids = ClassBoard(client, queue), [0.0], []
    try:
        for desk in desks:
            desk.start()
        jobs = Jobs(client, queue)
        ready.wait(timeout=120)
        while len(ids) < STUDENTS * JOBS_EACH and any(desk.is_alive() for desk in desks):
            asked, size = time.monotonic(), jobs.pending_size()
            while board.board.size < size:
                assert time.monotonic() - asked < 30
                time.sleep(0.01)
            behind.append(time.monotonic() - asked)
            time.sleep(0.1)
            while not minted.empty():
                ids += minted.get()
        for desk in desks:
            desk.join()
        while not minted.empty():
            ids += minted.get()
        assert len(ids) == STUDENTS * JOBS_EACH
        assert len(set(ids)) == len(ids)
        board.look()
        assert set(board.board.ids) == set(ids)
        assert [count for _, count in board.board.by_node] == [JOBS_EACH] * STUDENTS
        assert sorted(board.board.names.values()) == sorted(f"student {at}" for at in range(STUDENTS))
        assert max(behind) < 1
    finally:
        board.close()
        client.close()
