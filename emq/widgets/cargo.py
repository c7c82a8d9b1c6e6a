"""The cargo, inspected: payload → mapping → ids, the decoder behind each id, and the row that may not ship."""

from collections.abc import Mapping
from typing import Any, Final

from emq.cargo import Value, pack, unpack
from emq.errors import CargoRefused
from emq.ids import BrandedId
from emq.rung import ORDER
from emq.widgets import markup as m
from emq.widgets.ask import Ask, Says
from emq.widgets.decoder import decoder_frames, utc
from emq.widgets.stage import Choice, Frame, Lesson, Stage, first_of, needs_kernel

PAYLOAD: Final = pack({"order_id": ORDER, "qty": 2})
"""An id and a quantity. The record commits the field, not the number: the number is this lesson's."""

ROW: Final[Mapping[str, Any]] = {"order": {"id": ORDER, "address": "12 Elm Street", "status": "paid"}, "qty": 2}
CHANGED: Final = "9 Oak Avenue"
MOST_IDS: Final = 3

Picture = tuple[str, str]


def cargo_frames(payload: str | bytes, own_id: str | None = None) -> list[Frame]:
    """Scenes: the payload unpacked, a decoding of each id in it (three at most), a row refused, and `own_id` decoded.

    Any payload has frames: one that breaks the law, or is no JSON, shows its refusal.
    """
    pictures, ids = _unpacked(payload)
    scenes = {
        "Inspect the cargo": pictures,
        **{f"Decode {one}": _decoded(one) for one in ids},
        "Ship the row instead": _row_instead(),
    }
    if own_id is not None:
        scenes["Own id"] = _decoded(own_id)
    choices, start = [], 0
    for label, steps in scenes.items():
        choices.append(Choice(label, start))
        start += len(steps)
    return [Frame(html, caption, tuple(choices), label) for label, steps in scenes.items() for html, caption in steps]


def _decoded(text: str) -> list[Picture]:
    return [(frame.html, frame.caption) for frame in decoder_frames(text)]


def _unpacked(payload: str | bytes) -> tuple[list[Picture], list[BrandedId]]:
    """The steps from bytes to ids, or to the refusal, and the ids."""
    size = len(payload.encode("utf-8", "surrogatepass") if isinstance(payload, str) else payload)
    wire = m.tag(
        "div",
        m.tag("div", f"on the wire, {size} bytes", cls="emq-figure-name"),
        m.tag("div", m.tag("code", m.show_bytes(payload, 400))),
        cls="emq-figure",
    )
    shipped = (wire, "These bytes crossed the wire as they stand. What is in them is for the far side to say.")
    try:
        cargo = unpack(payload)
    except CargoRefused as refusal:
        law = (
            "The wire takes any bytes, so nothing stopped them there; the helper keeps the law and does not read them."
        )
        return [
            shipped,
            (m.stack(wire, _refused("unpack", refusal)), f"<b>Refused:</b> {m.esc(str(refusal))}. {law}"),
        ], []
    values = [one for value in cargo.values() for one in (value if isinstance(value, list) else [value])]
    ids = list(dict.fromkeys(one for one in values if isinstance(one, BrandedId)))[:MOST_IDS]
    named = ", ".join(m.code(one) for one in ids)
    said = (
        f"<b>Parsed again.</b> {named} went through the contract that minted it, and says when and where it was "
        "made. What it names holds its own row, up to date: look that up by the name."
        if ids
        else "<b>No id in it:</b> every value is a parameter."
    )
    return [
        shipped,
        (m.stack(wire, _mapping(cargo, parsed=False)), "Unpacked: a mapping of field to value."),
        (m.stack(wire, _mapping(cargo, parsed=True)), said),
    ], ids


def _mapping(cargo: Mapping[str, Value], parsed: bool) -> str:
    rows = [
        [m.code(name), m.code(_shown(value)) + (m.tag("div", _what(value)) if parsed else "")]
        for name, value in cargo.items()
    ]
    return m.table("on the far side", ["field", "value, and what it is" if parsed else "value"], rows)


def _shown(value: Value) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _what(value: Value) -> str:
    if isinstance(value, list):
        return "<br>".join(dict.fromkeys(map(_what, value))) or "an empty list"
    if isinstance(value, BrandedId):
        return (
            f"an id: kind <b>{value.namespace}</b>, node <b>{value.node}</b>, sequence <b>{value.seq}</b>, minted "
            f"<b>{utc(value.minted_at)}</b>"
        )
    return "a parameter"


def _row_instead() -> list[Picture]:
    """What a producer would like to ship, what `pack` says of it, and why."""
    wish = m.table("on the near side: an order's row, to be packed", ["field", "value"], _flat(ROW))
    try:
        pack(ROW)
    except CargoRefused as refusal:
        refused = refusal
    later = {**ROW["order"], "address": CHANGED}
    copies = m.split(
        m.table("the copy in the payload", ["field", "value"], _flat(ROW["order"])),
        m.table("the order itself, a minute later", ["field", "value"], _flat(later)),
    )
    return [
        (wish, "Why not ship the whole row? The worker would have everything at hand, without a look-up."),
        (m.stack(wish, _refused("pack", refused)), f"<b>Refused:</b> {m.esc(str(refused))}. Nothing was packed."),
        (
            copies,
            "<b>A row in a payload is a copy,</b> stale as soon as the order changes: this parcel goes to "
            f"{m.esc(repr(ROW['order']['address']))}. {m.code(ORDER)} cannot be stale; it is a name.",
        ),
    ]


def _flat(row: Mapping[str, Any], path: str = "") -> list[list[str]]:
    rows: list[list[str]] = []
    for name, value in row.items():
        inner = _flat(value, f"{path}{name}.") if isinstance(value, Mapping) else None
        rows += inner if inner is not None else [[m.code(path + name), m.code(str(value))]]
    return rows


def _refused(verb: str, refusal: CargoRefused) -> str:
    return m.wire((verb,), m.esc(f"CargoRefused: {refusal}"), error=True)


class Cargo(Lesson):
    """`payload` (an order's id and a quantity) inspected as the far side does it, with the decoder behind each id.

    A kernel lets the reader unpack a payload and decode an id of their own.
    """

    def __init__(self, payload: str | bytes = PAYLOAD) -> None:
        self._first = self._payload = payload
        self._says = Says()
        text = payload if isinstance(payload, str) else payload.decode("utf-8", "backslashreplace")
        self._ask_payload = Ask("Own payload", text, "Unpack", self._unpack, self._says)
        self._ask_id = Ask("Own id", ORDER, "Decode", self._decode, self._says)
        stage = Stage(
            cargo_frames(payload),
            title="The cargo, inspected",
            lead="What a payload may hold, and what its reader makes of it.",
        )
        super().__init__(stage, needs_kernel(self._ask_payload, self._ask_id, self._says))

    def restore(self) -> None:
        self._payload = self._first
        self._ask_payload.restore()
        self._ask_id.restore()
        self._says.say("")
        self.stage.show(cargo_frames(self._first))

    def _unpack(self, text: str) -> str:
        self._payload = text
        self.stage.show(cargo_frames(text))
        return "Your payload is on the stage. Step on."

    def _decode(self, text: str) -> str:
        frames = cargo_frames(self._payload, own_id=text)
        self.stage.show(frames, first_of(frames, "Own id"))
        BrandedId(text)  # the line by the field says why an id is refused, also when the stage is out of sight
        return "Your id is on the stage."
