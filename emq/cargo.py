"""The cargo law: a payload carries ids and parameters, never rows and never blobs.

A row in a payload is a copy, stale from the moment it is written, and a blob makes the queue a store. Ship the name;
the far side looks up what it names. The helpers here keep the law for JSON payloads. The wire takes any bytes: a
payload that is not JSON stays legal, it is only not `unpack`'s to read.

Source: the chapter's cargo law.
"""

import json
import math
from collections.abc import Callable, Iterable, Mapping
from json.encoder import encode_basestring as _quoted
from types import NoneType
from typing import Any, Final, NoReturn

from emq.errors import CargoRefused, InvalidId, show
from emq.ids import BrandedId

Scalar = str | int | float | bool | None
Value = Scalar | list[Scalar]


def pack(mapping: Mapping[str, Value]) -> bytes:
    """`mapping` as compact JSON in UTF-8. Values are text, numbers, booleans, None, ids, and flat lists of these.

    Raises `CargoRefused` for anything else, naming the field and saying what to ship instead.
    """
    if not isinstance(mapping, (dict, Mapping)):  # dict is one, and told much faster
        raise CargoRefused(f"expected a mapping of field to value; got {type(mapping).__name__} {show(mapping)}")
    # On the way of every job. What the law allows is flat, so one pass checks it and writes it.
    fields: dict[str, str] = {}
    for name, value in mapping.items():
        key = _quoted(name) if type(name) is str and name.isascii() else _name(name)
        if key in fields:
            raise _twice(name)
        try:
            fields[key] = f"{key}:{_WRITERS[type(value)](value)}"
        except (KeyError, ValueError, TypeError):
            fields[key] = f"{key}:{_value(name, value)}"
    return f"{{{','.join(fields.values())}}}".encode()


def unpack(payload: str | bytes) -> dict[str, Value]:
    """The mapping that `pack` packed, with every value that is a branded id parsed into a `BrandedId`.

    Raises `CargoRefused` when the payload is not a JSON object, or breaks the law that `pack` keeps.
    """
    if not isinstance(payload, str | bytes):
        raise CargoRefused(f"expected a payload of str or bytes; got {type(payload).__name__} {show(payload)}")
    try:
        text = payload if isinstance(payload, str) else payload.decode()
        cargo = _from_json(text)
    except CargoRefused:
        raise
    except (ValueError, RecursionError) as fault:
        raise CargoRefused(f"expected a JSON object in UTF-8; {fault}; got {show(payload)}") from None
    if not isinstance(cargo, _Object):
        raise CargoRefused(f"expected a JSON object; got {show(payload)}")
    pack(cargo)  # what it refuses is no cargo, whoever wrote it
    return {name: _parsed(value) for name, value in cargo.items()}


def _text(text: str) -> str:
    if not str.isascii(text):
        str.encode(text)  # raises where it has no UTF-8 form
    return _quoted(text)


def _finite(number: float) -> str:
    if not math.isfinite(number):
        raise ValueError
    return float.__repr__(number)


_SCALARS: Final[dict[type, Callable[[Any], str]]] = {
    BrandedId: _quoted,
    str: _text,
    bool: {False: "false", True: "true"}.__getitem__,  # before int, which it derives from
    int: int.__repr__,
    float: _finite,
    NoneType: {None: "null"}.__getitem__,
}
"""All that a field may hold, and how JSON writes it. A ValueError: this one has no such form."""


def _flat(items: list[Any] | tuple[Any, ...]) -> str:
    return f"[{','.join([_SCALARS[type(item)](item) for item in items])}]"


_WRITERS: Final[dict[type, Callable[[Any], str]]] = {**_SCALARS, list: _flat, tuple: _flat}


def _name(name: object) -> str:
    """A field's name in JSON."""
    if not isinstance(name, str):
        raise CargoRefused(f"expected field names of str; got {type(name).__name__} {show(name)}")
    try:
        return _text(str.__str__(name))  # or names that are the same on the wire could be two here
    except UnicodeEncodeError as fault:
        raise CargoRefused(f"a field name holds {_no_utf8(fault)}") from None


def _value(name: str, value: object) -> str:
    """The value of field `name` in JSON, whatever its type derives from."""
    if isinstance(value, list | tuple):
        nested = "a list of objects, which are rows: ship their ids"
        return f"[{','.join([_scalar(name, item, nested) for item in value])}]"
    return _scalar(name, value, "a nested object, which is a row: ship its id")


def _scalar(name: str, value: object, nested: str) -> str:
    try:
        return next(write for kind, write in _SCALARS.items() if isinstance(value, kind))(value)
    except UnicodeEncodeError as fault:
        why = _no_utf8(fault)
    except (StopIteration, ValueError, TypeError):  # a TypeError: it says that it is of a type, and is not
        why = _fault(value, nested)
    raise CargoRefused(f"field {show(name)} holds {why} instead")


def _no_utf8(fault: UnicodeEncodeError) -> str:
    return f"{fault.object[fault.start]!r} at character {fault.start + 1}, which has no UTF-8 form: ship text"


def _fault(value: object, nested: str) -> str:
    """What `value` is, and what to ship."""
    if isinstance(value, float):
        return f"{value}, which JSON cannot carry: ship a finite number or None"
    if isinstance(value, int):
        return f"{show(value)}, which is too long to be written out: store it and ship its id"
    if isinstance(value, bytes | bytearray | memoryview):
        return "bytes, which are a blob: store it and ship its id"
    if isinstance(value, Mapping):
        return nested
    if isinstance(value, list | tuple):
        return "a list of lists: ship the id of what holds them"
    return f"{type(value).__name__} {show(value)}: ship text, a number, a boolean, None or an id"


class _Object(dict[str, Value]):
    """A JSON object whose names are each there once: the last of two would silently win."""

    def __init__(self, pairs: Iterable[tuple[str, Value]]) -> None:
        for name, value in pairs:
            if name in self:
                raise _twice(name)
            self[name] = value


def _twice(name: str) -> CargoRefused:
    return CargoRefused(f"expected each field once; got {show(name)} twice")


def _no_constant(name: str) -> NoReturn:
    raise CargoRefused(f"expected finite numbers; got {name}")


# Made once: json.loads makes its own anew for each call with options.
_from_json = json.JSONDecoder(object_pairs_hook=_Object, parse_constant=_no_constant).decode


def _parsed(value: Value) -> Value:
    """`value`, with what is a branded id parsed."""
    if isinstance(value, list):
        return [_id_or_text(item) for item in value]
    return _id_or_text(value)


def _id_or_text(value: Scalar) -> Scalar:
    if not isinstance(value, str):
        return value
    try:
        return BrandedId(value)
    except InvalidId:
        return value
