"""The cargo law: ids and parameters pass both ways; rows, blobs and what JSON cannot carry are refused by name."""

import json
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emq import BrandedId, cargo
from emq.errors import CargoRefused, EmqError
from emq.ids import MAX_SNOWFLAKE, encode

ORDER = BrandedId("ORD0Nt6z93U3dY")

branded = st.integers(0, MAX_SNOWFLAKE).map(lambda snowflake: BrandedId("ORD" + encode(snowflake)))
texts = st.text(st.characters(exclude_categories=["Cs"]))
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    texts,
    branded,
)
cargoes = st.dictionaries(texts, st.one_of(scalars, st.lists(scalars, max_size=4)), max_size=6)


def test_the_record_s_cargo() -> None:
    packed = cargo.pack({"order_id": ORDER, "qty": 2})
    assert packed == b'{"order_id":"ORD0Nt6z93U3dY","qty":2}'
    far_side = cargo.unpack(packed)
    assert far_side == {"order_id": "ORD0Nt6z93U3dY", "qty": 2}
    assert type(far_side["order_id"]) is BrandedId
    assert far_side["order_id"].node == 7


@given(cargoes)
def test_pack_and_unpack_are_inverse(mapping: dict[str, cargo.Value]) -> None:
    packed = cargo.pack(mapping)
    for payload in (packed, packed.decode()):
        assert cargo.unpack(payload) == mapping
    assert list(cargo.unpack(packed)) == list(mapping)


@given(cargoes)
def test_every_id_comes_back_parsed(mapping: dict[str, cargo.Value]) -> None:
    def flat(values: object) -> list[object]:
        return [one for value in values for one in (value if isinstance(value, list) else [value])]  # type: ignore[attr-defined]

    for sent, came in zip(flat(mapping.values()), flat(cargo.unpack(cargo.pack(mapping)).values()), strict=True):
        if isinstance(sent, BrandedId):
            assert type(came) is BrandedId
        assert type(came) is type(sent)


def test_ids_in_a_list_are_parsed_and_a_tuple_is_a_list() -> None:
    assert [type(one) for one in cargo.unpack(cargo.pack({"ids": (ORDER, "x")}))["ids"]] == [BrandedId, str]


def test_the_longest_int_passes_both_ways() -> None:
    longest = 10**4300 - 1
    assert cargo.unpack(cargo.pack({"n": [longest, -longest]})) == {"n": [longest, -longest]}


def test_text_stays_readable_on_the_wire() -> None:
    assert cargo.pack({"größe": "日本"}) == '{"größe":"日本"}'.encode()


class Lying(str):
    """Text that says of itself what is not so."""

    __slots__ = ()

    def isascii(self) -> bool:
        return True

    def encode(self, *_: object) -> bytes:
        return b""


PACK_REFUSED: list[tuple[object, str]] = [
    ({"order": {"id": 1}}, "field 'order' holds a nested object, which is a row: ship its id instead"),
    ({"order": {}}, "field 'order' holds a nested object, which is a row: ship its id instead"),
    ({"lines": [1, {"sku": 1}]}, "field 'lines' holds a list of objects, which are rows: ship their ids instead"),
    ({"rows": [[1], [2]]}, "field 'rows' holds a list of lists: ship the id of what holds them instead"),
    ({"file": b"\x89PNG"}, "field 'file' holds bytes, which are a blob: store it and ship its id instead"),
    ({"file": bytearray(2)}, "field 'file' holds bytes, which are a blob"),
    ({"file": memoryview(b"x")}, "field 'file' holds bytes, which are a blob"),
    ({"files": [b"x"]}, "field 'files' holds bytes, which are a blob"),
    ({"rate": float("nan")}, "field 'rate' holds nan, which JSON cannot carry: ship a finite number or None instead"),
    ({"rate": float("inf")}, "field 'rate' holds inf, which JSON cannot carry"),
    ({"rates": [float("-inf")]}, "field 'rates' holds -inf, which JSON cannot carry"),
    ({"when": datetime(2026, 1, 1, tzinfo=UTC)}, "field 'when' holds datetime datetime.datetime(2026"),
    ({"all": {1, 2}}, "field 'all' holds set {1, 2}: ship text, a number, a boolean, None or an id instead"),
    (
        {"n": 10**4300},
        "field 'n' holds an int of 14285 bits, which is too long to be written out: store it and ship its",
    ),
    ({"n": [-(10**4300)]}, "field 'n' holds an int of 14285 bits, which is too long"),
    ({10**5000: 1}, "expected field names of str; got int an int of 16610 bits"),
    ({"f": print}, "field 'f' holds builtin_function_or_method"),
    ({"f": Mock(spec=str)}, "field 'f' holds Mock <Mock spec='str'"),
    ({"f": [Mock(spec=int)]}, "field 'f' holds"),
    ({"f": Lying("x\udcff")}, "field 'f' holds '\\udcff' at character 2, which has no UTF-8 form"),
    ({1: "x"}, "expected field names of str; got int 1"),
    ({None: "x"}, "expected field names of str; got NoneType None"),
    ({"a\ud800": 1}, "a field name holds '\\ud800' at character 2, which has no UTF-8 form: ship text"),
    ({"a": "x\udcff"}, "field 'a' holds '\\udcff' at character 2, which has no UTF-8 form: ship text"),
    (["x"], "expected a mapping of field to value; got list ['x']"),
    (None, "expected a mapping of field to value; got NoneType None"),
    ("x", "expected a mapping of field to value; got str 'x'"),
]


@pytest.mark.parametrize(("mapping", "message"), PACK_REFUSED)
def test_what_breaks_the_law_is_refused_by_field(mapping: object, message: str) -> None:
    with pytest.raises(CargoRefused) as caught:
        cargo.pack(mapping)  # type: ignore[arg-type]
    assert message in str(caught.value)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, EmqError)


UNPACK_REFUSED: list[tuple[object, str]] = [
    (b"", "expected a JSON object in UTF-8;"),
    (b"not json", "expected a JSON object in UTF-8;"),
    (b'{"a":1', "expected a JSON object in UTF-8;"),
    (b'{"a":1}x', "expected a JSON object in UTF-8;"),
    (b'{"a":"\xff"}', "expected a JSON object in UTF-8;"),
    ("\ufeff{}", "expected a JSON object in UTF-8;"),
    (b"[" * 100_000, "expected a JSON object in UTF-8;"),
    (b'{"n":' + b"9" * 5000 + b"}", "expected a JSON object in UTF-8;"),
    (b"[1]", "expected a JSON object; got b'[1]'"),
    (b'"x"', "expected a JSON object; got"),
    (b"null", "expected a JSON object; got"),
    (b'{"a":1,"a":2}', "expected each field once; got 'a' twice"),
    (b'{"a":NaN}', "expected finite numbers; got NaN"),
    (b'{"a":-Infinity}', "expected finite numbers; got -Infinity"),
    (b'{"a":1e999}', "field 'a' holds inf, which JSON cannot carry"),
    (b'{"a":{"b":1}}', "field 'a' holds a nested object, which is a row: ship its id instead"),
    (b'{"a":[{}]}', "field 'a' holds a list of objects, which are rows: ship their ids instead"),
    (b'{"a":[[]]}', "field 'a' holds a list of lists"),
    (b'{"a":"\\ud800"}', "field 'a' holds '\\ud800' at character 1, which has no UTF-8 form"),
    (b'{"\\ud800":1}', "a field name holds '\\ud800' at character 1, which has no UTF-8 form"),
    (None, "expected a payload of str or bytes; got NoneType None"),
    (7, "expected a payload of str or bytes; got int 7"),
    ({"a": 1}, "expected a payload of str or bytes; got dict"),
]


@pytest.mark.parametrize(("payload", "message"), UNPACK_REFUSED)
def test_what_is_no_cargo_is_refused(payload: object, message: str) -> None:
    with pytest.raises(CargoRefused) as caught:
        cargo.unpack(payload)  # type: ignore[arg-type]
    assert message in str(caught.value)
    assert len(str(caught.value)) < 400


@given(
    st.one_of(
        st.binary(max_size=40), st.text(max_size=40), st.text(st.sampled_from('{}[]",:0eE-.\\ud8ntrue '), max_size=40)
    )
)
def test_any_payload_is_cargo_or_refused(payload: str | bytes) -> None:
    try:
        mapping = cargo.unpack(payload)
    except CargoRefused:
        return
    assert cargo.unpack(cargo.pack(mapping)) == mapping
    assert mapping == json.loads(payload)


class Repeating(Mapping[str, int]):
    """As the multi-dicts of web frameworks are: a mapping whose items can have a name twice."""

    def __getitem__(self, name: str) -> int:
        return 1

    def __iter__(self) -> Iterator[str]:
        return iter(["qty", "qty"])

    def __len__(self) -> int:
        return 2


class Own(str):
    """A name that is equal to itself only."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)


@pytest.mark.parametrize("mapping", [Repeating(), {Own("qty"): 1, Own("qty"): 2}], ids=["mapping", "dict"])
def test_a_field_twice_is_refused_when_it_is_packed_too(mapping: Mapping[str, int]) -> None:
    with pytest.raises(CargoRefused, match="expected each field once; got 'qty' twice"):
        cargo.pack(mapping)


def test_a_number_longer_than_this_python_writes_out_is_refused_by_name() -> None:
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        with pytest.raises(CargoRefused, match="field 'n' holds"):
            cargo.pack({"a": 1, "n": 10**1000})
        with pytest.raises(CargoRefused, match="field 'n' holds"):
            cargo.pack({"a": [1], "n": [1, 10**1000]})
    finally:
        sys.set_int_max_str_digits(before)
