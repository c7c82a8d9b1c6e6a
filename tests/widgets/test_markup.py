"""Markup: data comes out as text, and each part says what it is."""

from __future__ import annotations

from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emq.widgets import markup as m
from tests.widgets.helpers import HOSTILE


class Reader(HTMLParser):
    """Collects tags and text, and insists that every tag is closed in turn."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.attrs: list[tuple[str, str | None]] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attrs += attrs
        if tag != "col":
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


PARTS: dict[str, Callable[[str], str]] = {
    "esc": m.esc,
    "show_bytes": m.show_bytes,
    "code": m.code,
    "byte": m.byte,
    "chip": m.chip,
    "label": m.label,
    "cell": m.cell,
    "tag": lambda data: m.tag("a", m.esc(data), href=data),
    "row": lambda data: m.byte_table([m.Row(data, mark=data, note=data, key=data)], label=data, note=data),
    "bits": lambda data: m.bit_ruler(1, [m.Field(data, 2, "time", data, data)], label=data),
    "card": lambda data: m.card(data, data, data, 0),
    "side": lambda data: m.side(data, "", data),
    "listing": lambda data: m.listing(data, label=data),
    "keyspace": lambda data: m.keyspace(data, {data: [(data, data)]}),
    "wire": lambda data: m.wire([data, data]),
    "diff": lambda data: m.diff([data, data], [data, data + "!"], label=data),
}


@pytest.mark.parametrize("part", PARTS)
def test_hostile_text_stays_text(part: str) -> None:
    read = Reader(PARTS[part](HOSTILE))
    assert "img" not in read.tags
    assert not any(name.startswith("on") for name, _ in read.attrs)
    joined = "".join(read.text.split())
    assert "".join(HOSTILE.split()) in joined


@given(st.text() | st.binary())
def test_bytes_never_become_markup(data: str | bytes) -> None:
    read = Reader(m.show_bytes(data))
    assert set(read.tags) <= {"span"}
    assert read.text.isprintable()


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"a\r\nb", r"a\x0d\x0ab"),
        (b"\x00\xff", r"\x00\xff"),
        ("é", "é"),
        ("\u202e", r"\xe2\x80\xae"),
        ("\ud800", r"\xed\xa0\x80"),
        ("x" * 120, "x" * 120),
        ("x" * 119 + "éé", "x" * 119 + "é… 2 more bytes"),
        (b"x" * 121, "x" * 120 + "… 1 more byte"),
    ],
)
def test_bytes_are_shown(data: str | bytes, text: str) -> None:
    assert Reader(m.show_bytes(data)).text == text


def test_tags_write_their_attributes() -> None:
    assert m.tag("b", "x", cls="a", data_key="k", hidden=True, lang=None, title=False) == (
        '<b class="a" data-key="k" hidden>x</b>'
    )


def test_a_kind_that_has_no_colour_is_refused() -> None:
    with pytest.raises(ValueError, match=r"expected a kind of ns, tie, .* got 'ties'"):
        m.cell("x", "ties")


def test_a_byte_table_has_a_cell_for_every_column() -> None:
    html = m.byte_table([m.Row("JOB", {2: "decides"}, "a", "0", "k", lit=True), m.Row("J")], label="ids", decides=2)
    assert html.count("<th ") == 4
    assert html.count("emq-cell--none") == 2
    assert '<td class="emq-cell emq-cell--decides">O</td>' in html
    assert 'class="emq-here" scope="col">2<' in html
    assert '<tr class="emq-row emq-row--lit" data-key="k">' in html
    bare = m.byte_table([m.Row(("10", "x"), plain=True)], label="ids", marks=False, heads=False)
    assert "emq-mark" not in bare
    assert "thead" not in bare
    assert ">10</td>" in bare


def test_the_ruler_puts_each_box_under_its_bits() -> None:
    fields = [m.Field("time", 3, "time", "5"), m.Field("node", 2, "node", "1")]
    html = m.bit_ruler(0b10101, fields, label="five bits")
    on = ["emq-on" in piece for piece in html.split("<i ")[1:]]
    assert on == [True, False, True, False, True]
    assert "grid-column:1/4" in html
    assert "grid-column:4/6" in html
    for bad in (-1, 32):
        with pytest.raises(ValueError, match=f"expected a number of 5 bits, got {bad}"):
            m.bit_ruler(bad, fields, label="five bits")


def test_a_card_tells_its_state() -> None:
    html = m.card("state", "pending", "role", 3, pressed=True, absent=True)
    assert 'data-goto="3"' in html
    assert 'aria-pressed="true"' in html
    assert "emq-card--absent" in html
    assert 'aria-pressed="false"' in m.card("state", "pending", "role", 0)


def test_a_listing_marks_where_it_stands() -> None:
    html = m.listing("one\n\nthree", [3], done=[1], label="script")
    assert html.count("<li") == 3
    assert '<li class="emq-line emq-line--now" aria-current="step"><code>three</code></li>' in html
    assert '<li class="emq-line emq-line--done"><code>one</code></li>' in html


def test_the_wire_quotes_what_needs_it() -> None:
    assert Reader(m.wire(["SET", b"a b", "", 0, "\x00"], m.esc("OK"))).text == '→SET "a b" "" 0 \\x00←OK'
    assert "emq-wire-reply" not in m.wire(["PING"])
    assert "emq-wire-reply--error" in m.wire(["PING"], "no", error=True)


def test_a_diff_shows_both_lines_where_they_differ() -> None:
    html = m.diff(["a", "b", "c"], ["a", "x"], marked=[0], label="record")
    assert Reader(html).text == "✓a≠blive: xc"
    assert html.count("emq-diff-line--marked") == 1
    assert html.count("emq-diff-line--off") == 1


def test_an_empty_keyspace_says_so() -> None:
    assert "∅" in m.keyspace("before", {})
    assert m.keyspace("after", {"k": [("f", "v")]}, changed=["k"]).count("emq-kv-new") == 1
