"""The job row: three fields, one of them cargo, and the fourth that is left out on purpose."""

from collections.abc import Mapping
from dataclasses import dataclass

from emq.ids import EPOCH, EPOCH_MS, NAMESPACE_LENGTH, TIME_BITS, BrandedId
from emq.keys import Keys
from emq.widgets.decoder import utc
from emq.widgets.markup import card, code, esc, side, split, tag
from emq.widgets.stage import Frame, Stage

ABSENT = "enqueued_at"


@dataclass(frozen=True)
class Role:
    """What a field is for: a phrase for its row, the law that put it there or left it out, and a sentence on it."""

    phrase: str
    law: str
    words: str


ROLES: Mapping[str, Role] = {
    "state": Role(
        "the lifecycle word",
        "one script writes the row",
        "Where the job stands in its life. Enqueue writes pending and nothing else does, yet: the next chapter's "
        "transitions will change the word, and only a script may.",
    ),
    "attempts": Role(
        "written, not yet incremented",
        "written here as 0, counted by the next chapter, when workers try",
        "How often work on the job has begun. The field is written here, so that every row has it from the start; the "
        "arithmetic comes with the transitions, in the next chapter.",
    ),
    "payload": Role(
        "the cargo: ids and parameters",
        "the cargo law",
        "What the worker needs to know: ids and parameters, never rows of other things, never blobs. The bytes are "
        "kept as they came, of any size, and the far side parses each id again.",
    ),
    ABSENT: Role(
        "absent by design",
        "the two-clocks law",
        "The mint time is inside the identity already. A second copy could only disagree, and the server's own clock "
        "belongs to leases, a later chapter.",
    ),
}


def job_row_frames(job_id: str | bytes, row: Mapping[str, bytes | str]) -> list[Frame]:
    """A first frame with nothing selected, then one for each field, the one that is not there among them.

    `row` is the hash as read from the engine, values as bytes. A field that the row should not have is shown as such.
    """
    job_id = BrandedId(job_id)
    first = Frame(_picture(row, None, _hint()), "Select a field.")
    return [first, *(_field_frame(job_id, row, name) for name in _names(row))]


def _names(row: Mapping[str, bytes | str]) -> list[str]:
    """The fields in the script's order, since an engine may give them in another; then any that are not its own."""
    return [*ROLES, *(name for name in row if name not in ROLES)]


def _field_frame(job_id: BrandedId, row: Mapping[str, bytes | str], name: str) -> Frame:
    role = ROLES.get(name)
    if role is None or (name == ABSENT and name in row):
        words, law = "No act of the script writes this field: somebody else did.", "three fields and no fourth"
    else:
        words, law = role.words, role.law
    panel = side(name, tag("p", esc(words)) + (_mint_time(job_id) if name == ABSENT else ""), law)
    return Frame(_picture(row, name, panel), _caption(job_id, row, name, law), scene=f"field {name}")


def _caption(job_id: BrandedId, row: Mapping[str, bytes | str], name: str, law: str) -> str:
    if name not in row and name != ABSENT:
        return f"There is no {code(name)}: this row is not whole, and the script writes all of it or nothing."
    if name not in row:
        return (
            f"There is no {code(name)}, and nothing is lost: the id itself says {tag('b', esc(utc(job_id.minted_at)))}."
        )
    return f"{code(name)} is {code(row[name])}. The law behind it: {esc(law)}."


def _picture(row: Mapping[str, bytes | str], picked: str | None, panel: str) -> str:
    cards = [
        card(
            name, row.get(name, "no such field"), _phrase(row, name), at, pressed=name == picked, absent=name not in row
        )
        for at, name in enumerate(_names(row), start=1)
    ]
    return split("".join(cards), panel)


def _phrase(row: Mapping[str, bytes | str], name: str) -> str:
    if name not in ROLES or (name == ABSENT and name in row):
        return "not of this row"
    return ROLES[name].phrase


def _hint() -> str:
    return side(
        "Three fields and no fourth", tag("p", "Each is there by a law, and so is the gap. Select one to read it.")
    )


def _mint_time(job_id: BrandedId) -> str:
    """The way from the id to its mint time, a line a step, each computed from the one before."""
    since_epoch = job_id.unix_ms - EPOCH_MS
    steps = (
        (job_id[NAMESPACE_LENGTH:], "the digits"),
        (str(job_id.snowflake), "as one number"),
        (str(since_epoch), f"its upper {TIME_BITS} bits: ms since {EPOCH.year}"),
        (utc(job_id.minted_at), "minted"),
    )
    return tag("dl", *(tag("dt", esc(what)) + tag("dd", code(value)) for value, what in steps), cls="emq-steps")


class JobRow(Stage):
    """The row of `job_id` in `queue`, as read from an engine: ``JobRow("orders", job_id, client.hgetall(key))``."""

    def __init__(self, queue: str, job_id: str | bytes, row: Mapping[bytes | str, bytes | str]) -> None:
        as_text = {
            name.decode(errors="backslashreplace") if isinstance(name, bytes) else name: value
            for name, value in row.items()
        }
        lead = f"{code(Keys(queue).job(job_id))} is a hash."
        super().__init__(job_row_frames(job_id, as_text), title="The job row", lead=lead)
