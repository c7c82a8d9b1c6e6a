"""Stages that use every part of the markup, for tests and for looking at."""

from __future__ import annotations

from emq.widgets import Choice, Frame, Stage
from emq.widgets import markup as m

IDS = ("JOB0Nvmd8mzRRo", "JOB0Nvmd96ZlQG", "JOB0Nvmd8aV5iy", "JOB0Nvmd90tmoy", "JOB0Nvmd8gSfSK", "JOB0Nvmd8tnoZM")
NAMESPACE = dict.fromkeys((1, 2, 3), "ns")
HOSTILE = "</scRipt ><img src=x onerror=\"document.body.dataset.hit='yes'\">"


def sort_stage() -> Stage:
    """Six rows; two are compared, then stand swapped; a second scene of one frame."""

    def rows(order: tuple[str, ...], lit: dict[str, str]) -> str:
        ties = dict.fromkeys(range(1, 10), "tie") | {10: "decides"}
        return m.byte_table(
            [
                m.Row(text, ties if text in lit else NAMESPACE, lit.get(text, ""), "0", text, text in lit)
                for text in order
            ],
            label="Six ids, a byte in each column",
            note="score",
            decides=10 if lit else 0,
        )

    one, other = IDS[1], IDS[3]
    swapped = tuple({one: other, other: one}.get(each, each) for each in IDS)
    here = (Choice("Sort", 0), Choice("Mix a score in", 4))
    lit = {one: "a", other: "b"}
    compared = f"{m.byte('6')} <small>0x36</small> &gt; {m.byte('0')} <small>0x30</small>"
    decided = f"<b>Byte 10:</b> {compared} — <b>b</b> was minted first."
    return Stage(
        [
            Frame(rows(IDS, {}), "Six members, scrambled. Step to compare two of them.", here, "sort"),
            Frame(rows(IDS, lit), f"{decided} Swap.", here, "sort"),
            Frame(rows(swapped, {}), "Swapped: the smaller goes first.", here, "sort"),
            Frame(rows(swapped, {}), "And so on, to the end.", here, "sort"),
            Frame(rows(IDS[::-1], {}), "With a score the bytes no longer decide.", here, "score"),
        ],
        title="Live sort",
        lead="Six pending members, every score 0. Only the bytes can decide.",
        pace=250,
    )


def row_stage() -> Stage:
    """Cards that are hot spots; a frame for each."""
    fields = [
        ("state", "pending", "the lifecycle word"),
        ("attempts", "0", "written, not yet incremented"),
        ("payload", b'{"order_id": "ORD0Nt6z93U3dY", "qty": 2, "raw": "\x00\xff"}', "the cargo: ids and parameters"),
        ("enqueued_at", "no such field", "absent by design"),
    ]

    def picture(picked: int) -> str:
        cards = (m.card(*row, at, pressed=at == picked, absent=at == 4) for at, row in enumerate(fields, 1))
        law = m.side(
            fields[picked - 1][0], "Ids and parameters, never rows: the far side parses the id again.", "the cargo law"
        )
        return m.split("".join(cards), law if picked else m.side("Four rows, three fields", "Select a field."))

    return Stage(
        [Frame(picture(at), f"Field {at}." if at else "Select a field.", (), f"field {at}") for at in range(5)],
        title="The job row",
        lead=f"{m.code('emq:{orders}:job:')}{m.code('JOB0Nvmd8aV5iy', 'time')} is a hash. Select a field.",
    )


def cargo_stage() -> Stage:
    """Digits, bits and fields of one id; a question with two answers."""
    values = ("", "", "", *["0", "23", "55", "6", "61", "9", "3", "30", "3", "39", "34"])
    digits = m.byte_table(
        [m.Row("ORD0Nt6z93U3dY", NAMESPACE | dict.fromkeys(range(4, 15), "time")), m.Row(values, plain=True)],
        label="The id, a byte in each column",
        marks=False,
    )
    fields = [
        m.Field("time", 41, "time", "77,101,301,949 ms", "since 2024-01-01T00:00:00Z"),
        m.Field("node", 10, "node", "7"),
        m.Field("sequence", 12, "seq", "0"),
    ]
    bits = m.bit_ruler(323386299169927168, fields, label="63 bits: 41 of time, 10 of node, 12 of sequence")
    ask = (Choice("When?", 1), Choice("Where?", 2))
    return Stage(
        [
            Frame(digits + m.label("as 63 bits") + bits, "Which question do the first 41 bits answer?", ask, "ask"),
            Frame(digits + bits, "<b>When.</b> 2026-06-11 09:01:41.949 UTC.", ask, "when"),
            Frame(digits + bits, "<b>Not where:</b> the node is the next ten bits.", ask, "where"),
        ],
        title="The cargo, decoded",
        lead="Fourteen characters, no lookup, no server.",
    )


def script_stage() -> Stage:
    """A listing, a keyspace, the wire and the record."""
    refusal = "EMQKIND job id must be JOB-namespaced"
    lua = f"if string.sub(ARGV[1], 1, 3) ~= 'JOB' then\n  return redis.error_reply('{refusal}')\nend\nreturn 1"
    before = m.keyspace("before", {})
    after = m.keyspace(
        "after",
        {
            "emq:{orders}:pending": [("JOB0Nvmd8aV5iy", "0")],
            "emq:{orders}:job:JOB0Nvmd8aV5iy": [("state", "pending"), ("attempts", "0"), ("payload", HOSTILE)],
        },
        changed=["emq:{orders}:pending"],
    )
    wire = m.wire(
        ("EVALSHA", "5f3a…", 2, "emq:{orders}:pending", "a b", b""),
        "(error) EMQKIND job id must be JOB-namespaced",
        error=True,
    )
    record = m.diff(
        ["boot: the registry grows by one", "J1 surface ok", "PASS 5/5"],
        ["boot: the registry grows by one", "J1 surface broken", "PASS 4/5"],
        marked=[1],
        label="The record, frozen and live",
    )
    picture = m.split(m.listing(lua, [2], done=[1], label="enqueue.lua") + wire, m.tag("div", before, after)) + record
    return Stage(
        [Frame(picture, f"A payload of {m.code(HOSTILE)} is text.", (Choice(HOSTILE, 0),))],
        title=HOSTILE,
        lead=m.esc(HOSTILE),
    )
