"""What fakeredis asks of `lupa`, answered by fengari, a Lua virtual machine in JavaScript: for the browser only.

fakeredis runs a script with lupa, a C extension that no browser can load. Under Pyodide this module answers to the same
name, so the queue's own script runs there unchanged. A Lua string is bytes in both directions; a
Python str is an object like any other, as it is to a lupa without an encoding.

Where fengari differs from the Lua 5.1 of the real engines: the language is 5.3, and an integer has 32 bits; a Python
int that needs more goes in as a float.

Source: fengari's `lua_*` and `luaL_*`, which are the C API of the Lua reference manual, chapters 4 and 5.
"""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from importlib.resources import files
from itertools import count
from typing import Any

from pyodide.code import run_js
from pyodide.ffi import create_proxy, to_js

# fengari looks for a `window`. A worker has none, and Pyodide would take a worker that has one for a page: so it gets
# one of its own, as an argument. An error is raised from JavaScript, since it must not unwind through Python.
_fengari, _function = run_js(
    """(source) => {
        const module = {exports: {}};
        new Function("module", "exports", "window", source)(module, module.exports, {});
        const {lua} = module.exports;
        const wrap = (call, key) => (L) => {
            const results = call(L, key);
            return results < 0 ? lua.lua_error(L) : results;
        };
        return [module.exports, wrap];
    }"""
)(files(__name__).joinpath("fengari-web.js").read_text("utf-8"))
_lua, _aux = _fengari.lua, _fengari.lauxlib


class LuaError(Exception):
    """A script that does not compile, or an error that it raises by itself."""


class _Reference:
    """Something that lives in Lua, held from Python."""

    def __init__(self, runtime: "LuaRuntime", state: Any) -> None:
        self._runtime = runtime
        self._ref = _aux.luaL_ref(state, _lua.LUA_REGISTRYINDEX)

    def __del__(self) -> None:
        _aux.luaL_unref(self._runtime._state, _lua.LUA_REGISTRYINDEX, self._ref)

    def _push(self, state: Any) -> None:
        _lua.lua_rawgeti(state, _lua.LUA_REGISTRYINDEX, self._ref)


class LuaTable(_Reference):
    """A table: `[]` answers None for what is not there."""

    def __getitem__(self, key: Any) -> Any:
        state = self._runtime._state
        self._push(state)
        self._runtime._push(state, key)
        _lua.lua_rawget(state, -2)
        value = self._runtime._pull(state, -1)
        _lua.lua_settop(state, -3)
        return value

    def __setitem__(self, key: Any, value: Any) -> None:
        state = self._runtime._state
        self._push(state)
        self._runtime._push(state, key)
        self._runtime._push(state, value)
        _lua.lua_rawset(state, -3)
        _lua.lua_settop(state, -2)

    def __iter__(self) -> Iterator[Any]:
        return self.keys()

    def keys(self) -> Iterator[Any]:
        return (key for key, _ in self.items())

    def items(self) -> Iterator[tuple[Any, Any]]:
        state, pairs = self._runtime._state, []
        self._push(state)
        _lua.lua_pushnil(state)
        while _lua.lua_next(state, -2):
            pairs.append((self._runtime._pull(state, -2), self._runtime._pull(state, -1)))
            _lua.lua_settop(state, -2)
        _lua.lua_settop(state, -2)
        return iter(pairs)


class LuaFunction(_Reference):
    """A function: call it with Python values."""

    def __call__(self, *args: Any) -> Any:
        state = self._runtime._state
        self._push(state)
        return self._runtime._call(state, args)


class LuaRuntime:
    """One Lua state with the standard libraries. Both options must have the values that fakeredis gives them."""

    def __init__(self, *, encoding: None, unpack_returned_tuples: bool) -> None:
        if encoding is not None or unpack_returned_tuples is not True:
            raise ValueError("expected encoding=None and unpack_returned_tuples=True; fengari's stand-in has no other")
        self._state = _aux.luaL_newstate()
        self._objects: dict[int, Any] = {}
        self._keys: dict[int, int] = {}
        self._numbers = count()
        self._dispatch = create_proxy(self._called)
        _fengari.lualib.luaL_openlibs(self._state)
        # fengari leaves collecting to JavaScript and has no such function, but fakeredis calls it after each script.
        self.execute(b"collectgarbage = function() return 0 end; unpack = table.unpack")

    def eval(self, code: str | bytes) -> Any:
        return self.execute(b"return " + (code.encode() if isinstance(code, str) else code))

    def execute(self, code: str | bytes, *args: Any) -> Any:
        chunk = to_js(code.encode() if isinstance(code, str) else code)
        if _aux.luaL_loadbuffer(self._state, chunk, chunk.length, to_js(b"=user_script")):
            self._fail(self._state)
        return self._call(self._state, args)

    def require(self, name: bytes) -> Any:
        return self.globals()[b"require"](name)

    def globals(self) -> LuaTable:
        _lua.lua_pushglobaltable(self._state)
        return LuaTable(self, self._state)

    def table_from(self, *sources: Any, recursive: bool = False) -> LuaTable:
        """One table: the pairs of the mappings as they are, the items of anything else under 1, 2, 3 and so on."""
        state, at = self._state, 0
        _lua.lua_createtable(state, 0, 0)
        for source in sources:
            if isinstance(source, dict | LuaTable):
                pairs: Iterable[tuple[Any, Any]] = source.items()
            else:
                pairs = list(enumerate(source, at + 1))
                at += len(source)
            for key, value in pairs:
                nested = recursive and isinstance(value, dict | list)
                self._push(state, key)
                self._push(state, self.table_from(value, recursive=True) if nested else value)
                _lua.lua_rawset(state, -3)
        return LuaTable(self, state)

    def _push(self, state: Any, value: Any) -> None:
        if value is None:
            _lua.lua_pushnil(state)
        elif isinstance(value, bool):
            _lua.lua_pushboolean(state, value)
        elif isinstance(value, int) and -(1 << 31) <= value < 1 << 31:
            _lua.lua_pushinteger(state, value)
        elif isinstance(value, int | float):
            _lua.lua_pushnumber(state, float(value))
        elif isinstance(value, bytes):
            text = to_js(value)
            _lua.lua_pushlstring(state, text, text.length)
        elif isinstance(value, _Reference):
            value._push(state)
        elif callable(value):
            _lua.lua_pushcfunction(state, _function(self._dispatch, self._keep(value)))
        else:
            _lua.lua_pushlightuserdata(state, self._keep(value))

    def _pull(self, state: Any, at: int) -> Any:
        kind = _lua.lua_type(state, at)
        if kind == _lua.LUA_TNIL:
            return None
        if kind == _lua.LUA_TBOOLEAN:
            return bool(_lua.lua_toboolean(state, at))
        if kind == _lua.LUA_TNUMBER:
            number = _lua.lua_tonumber(state, at)
            return int(number) if number == number // 1 else number  # 5.1 has one type of number; lupa shows it so
        if kind == _lua.LUA_TSTRING:
            return _lua.lua_tolstring(state, at).to_bytes()
        if kind == _lua.LUA_TLIGHTUSERDATA:
            return self._objects[_lua.lua_touserdata(state, at)]
        _lua.lua_pushvalue(state, at)
        return (LuaTable if kind == _lua.LUA_TTABLE else LuaFunction)(self, state)

    def _keep(self, value: Any) -> int:
        """The number under which Lua knows a Python object: Lua can hold no other part of it."""
        if id(value) not in self._keys:
            self._keys[id(value)] = key = next(self._numbers)
            self._objects[key] = value
        return self._keys[id(value)]

    def _called(self, state: Any, key: int) -> int:
        """Lua calls the Python function `key`: how many results it left on the stack, or -1 with an error on it."""
        args = [self._pull(state, at) for at in range(1, _lua.lua_gettop(state) + 1)]
        try:
            results = self._objects[key](*args)
        except BaseException as error:  # noqa: BLE001 - nothing is swallowed: _fail raises it on the other side of Lua
            self._push(state, error)
            return -1
        results = results if isinstance(results, tuple) else (results,)
        for result in results:
            self._push(state, result)
        return len(results)

    def _call(self, state: Any, args: tuple[Any, ...]) -> Any:
        base = _lua.lua_gettop(state) - 1
        for arg in args:
            self._push(state, arg)
        if _lua.lua_pcall(state, len(args), _lua.LUA_MULTRET, 0):
            self._fail(state)
        results = tuple(self._pull(state, at) for at in range(base + 1, _lua.lua_gettop(state) + 1))
        _lua.lua_settop(state, base)
        return results if len(results) > 1 else results[0] if results else None

    def _fail(self, state: Any) -> None:
        """Raises the error on the stack: a Python exception as itself, anything else as `LuaError`."""
        error = self._pull(state, -1)
        _lua.lua_settop(state, -2)
        if isinstance(error, BaseException):
            self._objects.pop(self._keys.pop(id(error)), None)
            raise error
        raise LuaError(error.decode("utf-8", "replace") if isinstance(error, bytes) else str(error))


def lua_type(value: object) -> str | None:
    """What `value` is in Lua, for what lives there; None for a Python value."""
    return "table" if isinstance(value, LuaTable) else "function" if isinstance(value, LuaFunction) else None


def allow_lua_module_loading() -> AbstractContextManager[None]:
    """Nothing to allow: there are no binary modules here."""
    return nullcontext()
