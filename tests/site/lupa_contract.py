"""What fakeredis relies on lupa for. Each check must hold for lupa itself and for the stand-in that the browser gets.

Run under either, this prints one line of results as JSON: the names of the checks, and what the bus answered.
"""

import gc
import json
from collections.abc import Callable
from typing import Any

import fakeredis
import lupa
from lupa import lua51
from redis.exceptions import ResponseError

from emq import BrandedId, Jobs, KindRefused, jobs, rung

JOB = BrandedId("JOB0Nvmd8aV5iy")
HOSTILE = b"\x00\r\n\xff</scRipt ><img src=x onerror=alert(1)>\xc3\x28'\"]]--"


def runtime() -> Any:
    with lupa.allow_lua_module_loading():
        return lua51.LuaRuntime(encoding=None, unpack_returned_tuples=True)


def check_values_come_back_as_they_went_in() -> None:
    same = runtime().eval("function(...) return ... end")
    values = (b"", HOSTILE, True, False, 0, -1, 2**31 - 1, -(2**31), 2**31, 2**40, 1.5)
    for value in values:
        assert same(value) == value, value
        assert type(same(value)) is type(value), value
    assert same(None) is None
    assert same() is None
    assert same("é") == "é"  # opaque: nothing says how to encode it
    assert same(*values) == values


def check_opaque_objects_keep_their_identity() -> None:
    same, thing = runtime().eval("function(x) return x end"), object()
    assert same(thing) is thing
    assert runtime().eval("function(a, b) return a == b end")(thing, thing) is True


def check_tables() -> None:
    lua = runtime()
    table = lua.table_from([b"a", False, 3])
    assert (table[1], table[2], table[3], table[4], table[b"no"]) == (b"a", False, 3, None, None)
    assert sorted(table.keys()) == [1, 2, 3]
    assert dict(lua.table_from({b"ok": b"fine", 7: 1.5}).items()) == {b"ok": b"fine", 7: 1.5}
    assert lua.eval("function(t) return t.map.x end")(lua.table_from({b"map": lua.table_from({b"x": 1})})) == 1
    assert lua.table_from({b"a": {b"b": [5]}}, recursive=True)[b"a"][b"b"][1] == 5
    assert lua.execute("return {1, 2, {err = 'no'}}")[3][b"err"] == b"no"
    table[1] = b"new"
    assert table[1] == b"new"


def check_types() -> None:
    lua = runtime()
    assert lua51.lua_type(lua.table_from([])) == "table"
    assert lua51.lua_type(lua.eval("print")) == "function"
    assert lua51.lua_type(b"bytes") is None


def check_globals_and_nothing_else_stay_between_scripts() -> None:
    lua = runtime()
    before = set(lua.globals().keys())
    lua.execute("seen = 1; local unseen = 2")
    assert set(lua.globals().keys()) - before == {b"seen"}
    lua.execute("collectgarbage()")
    assert lua.execute("return seen, unseen") == (1, None)


def check_a_python_function_called_from_lua() -> None:
    lua, seen = runtime(), []
    lua.globals()[b"f"] = lambda *args: seen.append(args)
    assert lua.execute("return f('a', 2, nil)") is None
    assert seen == [(b"a", 2, None)]
    lua.globals()[b"f"] = lambda: (1, b"two")
    assert lua.execute("return f()") == (1, b"two")


def check_an_exception_crosses_lua_as_itself() -> None:
    class Odd(Exception):
        pass

    def fail() -> None:
        raise raised

    lua, raised = runtime(), Odd("odd")
    lua.globals()[b"f"] = fail
    for _ in range(2):
        try:
            lua.execute("f()")
        except Odd as caught:
            assert caught is raised
        else:
            raise AssertionError("nothing was raised")
    assert lua.execute("local ok = pcall(f); return ok") is False


def check_errors_of_a_script() -> None:
    for script in ("this is no Lua", "error('mine')", "return nosuch.field", "return 1 + {}"):
        try:
            runtime().execute(script)
        except lua51.LuaError as error:
            assert str(error), script
        else:
            raise AssertionError(f"nothing was raised by {script}")


def check_a_reference_outlives_what_made_it() -> None:
    lua = runtime()
    tables = [lua.table_from([at]) for at in range(50)]
    del tables[::2]
    gc.collect()
    more = [lua.table_from([100 + at]) for at in range(50)]
    assert [table[1] for table in tables] == list(range(1, 50, 2))
    assert [table[1] for table in more] == list(range(100, 150))


def check_the_stack_is_left_as_it_was() -> None:
    lua = runtime()
    call = lua.eval("function(...) return ... end")
    for _ in range(20_000):
        call(1, 2, 3)


def answers() -> dict[str, Any]:
    """The bus by its own script, every branch, on the embedded engine."""
    client = fakeredis.FakeRedis(server=fakeredis.FakeServer())
    bus = Jobs(client, "contract")
    first, again = bus.enqueue(JOB, HOSTILE), bus.enqueue(JOB, b"other")
    row = client.hgetall("emq:{contract}:job:" + JOB)
    assert row == {b"state": b"pending", b"attempts": b"0", b"payload": HOSTILE}, row
    try:
        bus.enqueue("ORD0Nt6z93U3dY", b"")
    except KindRefused as error:
        refused = str(error)
    client.set("emq:{odd}:pending", b"a string")
    try:
        Jobs(client, "odd").enqueue(JOB, b"")
    except ResponseError as error:
        odd = str(error)
    assert not client.exists("emq:{odd}:job:" + JOB)
    client.script_flush()
    after_flush = bus.enqueue(BrandedId("JOB0Nvmd8gSfSK"), b"")
    with client.pipeline() as pipeline:
        for job_id in (JOB, BrandedId("JOB0Nvmd8mzRRo")):
            bus.enqueue(job_id, b"", client=pipeline)
        bulk = [int(jobs.admission(reply)) for reply in pipeline.execute()]
    return {
        "enqueue": [int(first), int(again), int(after_flush), *bulk],
        "refused": refused,
        "wrongtype": odd,
        "browse": bus.browse(),
        "rung": rung.run(client).lines,
    }


if __name__ == "__main__":
    checks: dict[str, Callable[[], None]] = {name: f for name, f in list(globals().items()) if name[:6] == "check_"}
    for check in checks.values():
        check()
    print(json.dumps({"held": list(checks), "answers": answers()}))
