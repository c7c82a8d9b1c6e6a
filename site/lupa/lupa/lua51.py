"""The runtime that fakeredis asks for by the version of its Lua."""

from lupa import LuaError, LuaRuntime, lua_type

__all__ = ["LuaError", "LuaRuntime", "lua_type"]
