"""The cargo law: a payload carries ids and parameters, never rows and never blobs.

A row in a payload is a copy, stale from the moment it is written, and a blob makes the queue a store. Ship the name;
the far side looks up what it names. The helpers here keep the law for JSON payloads. The wire takes any bytes: a
payload that is not JSON stays legal, it is only not `unpack`'s to read.

Source: the chapter's cargo law.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import NoReturn, cast

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
    cargo = _Object((_field(name), _lawful(name, value)) for name, value in mapping.items())
    try:
        return _to_json(cargo).encode()
    except ValueError:  # Python can be told to write out fewer digits than it does
        name, number = next((name, one) for name, value in cargo.items() for one in _numbers(value))
        raise CargoRefused(f"field {show(name)} holds {_fault(number, '')} instead") from None


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
    return {_field(name): _parsed(_lawful(name, value)) for name, value in cargo.items()}


class _Object(dict[str, Value]):
    """A JSON object whose names are each there once: the last of two would silently win."""

    def __init__(self, pairs: Iterable[tuple[str, Value]]) -> None:
        for name, value in pairs:
            if name in self:
                raise CargoRefused(f"expected each field once; got {show(name)} twice")
            self[name] = value


_TOO_LONG = 10**4300  # the least that Python neither writes out nor reads


def _no_constant(name: str) -> NoReturn:
    raise CargoRefused(f"expected finite numbers; got {name}")


# Made once: json.dumps and json.loads make theirs anew for each call with options.
_to_json = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode
_from_json = json.JSONDecoder(object_pairs_hook=_Object, parse_constant=_no_constant).decode


def _field(name: object) -> str:
    if not isinstance(name, str):
        raise CargoRefused(f"expected field names of str; got {type(name).__name__} {show(name)}")
    name = str.__str__(name)  # or names that are the same on the wire could be two here
    return name if name.isascii() else _text(name, None)


def _lawful(name: str, value: object) -> Value:
    """`value` if the law allows it in field `name`."""
    if isinstance(value, (list, tuple)):
        return [_scalar(name, item, nested="a list of objects, which are rows: ship their ids") for item in value]
    return _scalar(name, value, nested="a nested object, which is a row: ship its id")


def _scalar(name: str, value: object, nested: str) -> Scalar:
    # What is lawful comes first, and no message is made before it is needed: both are on the way of every job.
    if isinstance(value, str):
        return value if value.isascii() else _text(value, name)
    if value is None or (isinstance(value, int) and -_TOO_LONG < value < _TOO_LONG):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    raise CargoRefused(f"field {show(name)} holds {_fault(value, nested)} instead")


def _numbers(value: Value) -> Iterator[int]:
    """The numbers in `value` that this Python does not write out."""
    for one in value if isinstance(value, list) else [value]:
        try:
            _to_json(one)
        except ValueError:
            yield cast(int, one)


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


def _text(text: str, name: str | None) -> str:
    """`text` if it has a UTF-8 form. It is the value, or in a list of field `name`; without one, a field's name."""
    try:
        text.encode()
    except UnicodeEncodeError as fault:
        where = "a field name" if name is None else f"field {show(name)}"
        raise CargoRefused(
            f"{where} holds {text[fault.start]!r} at character {fault.start + 1}, which has no UTF-8 form: ship text"
        ) from None
    return text


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
