"""What dive 0, jobs are entities, shows and asks."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from emq import cargo
from emq.engine import EMBEDDED, connect, raw
from emq.errors import InvalidId
from emq.ids import BrandedId
from emq.jobs import Jobs, range_command
from emq.keys import Keys
from emq.lesson.exercises import Check, Mistake, as_list
from emq.rung import ORDER, RECORD, name_of
from emq.widgets import markup as m
from emq.widgets.decoder import NAMESPACE, stamp_frame
from emq.widgets.live_sort import DEMO
from emq.widgets.predict import Guess, Prediction
from emq.widgets.stage import Frame, Stage

PREDICTIONS: Final = {
    "name": Prediction(
        "A shop sends the same work twice: once, and once more because it heard no answer. The work has no name. "
        "What does the queue hold?",
        (
            Guess(
                "One piece of work",
                "both messages are the same, byte for byte, so they are the same work",
                "A customer may well order the same thing twice. Equal bytes do not make it the same work.",
            ),
            Guess(
                "Two, and nobody can tell why",
                "a retry and a second order look alike without a name",
                "So the name has to come first, before the first attempt to send it.",
                right=True,
            ),
            Guess(
                "None",
                "the queue refuses what it cannot tell apart, to be safe",
                "It has no reason to. A list takes what it is given.",
            ),
        ),
    ),
    "newest": Prediction(
        "The names of the jobs that wait stand in one sorted set, each with the score 0, and no time beside them. Can "
        "the set list the newest jobs first?",
        (
            Guess(
                "No",
                "without a time column there is nothing that it could sort by",
                "There is: the names. Each of them begins with the moment at which it was made.",
            ),
            Guess(
                "Yes, by reading each job's row",
                "the time must be kept in one of the fields of each row",
                "The row has three fields, and none of them is a time. Nothing is read but the set.",
            ),
            Guess(
                "Yes, by reading the set from its end",
                "the bytes of its members begin with the time",
                "That is the dividend of the order theorem, and dive 3 collects it.",
                right=True,
            ),
        ),
    ),
    "count": Prediction(
        "One of the five gates fails today. What does the last line say?",
        (
            Guess(
                "PASS 4/5",
                "the count is made from what each gate did",
                "And the line of the gate that failed says what it expected and what it saw.",
                right=True,
            ),
            Guess(
                "PASS 5/5",
                "the record is frozen, and its lines are printed as they are",
                "The record is frozen, the run is not: a gate earns its line by doing what it says.",
            ),
            Guess(
                "Nothing, the run stops there",
                "the first failure ends it, as it ends a test",
                "The other gates still run: one broken law does not hide the rest.",
            ),
        ),
    ),
}


def one_picture_frames() -> list[Frame]:
    """One job's way through ids, keys, script and set, each step done on an embedded engine and read back."""
    client, keys = connect(EMBEDDED), Keys("orders")
    jobs = Jobs(client, keys.queue)
    job_id, payload = DEMO[-1], cargo.pack({"order_id": ORDER, "qty": 2})
    for earlier in DEMO[:-1]:
        jobs.enqueue(earlier, "")
    reply = jobs.enqueue(job_id, payload)
    row = raw(client, "HGETALL", keys.job(job_id))
    pairs = [(name.decode(), value) for name, value in row.items()]
    newest = range_command(keys.pending, 2)
    page = " ".join(BrandedId(member) for member in raw(client, *newest))
    members = m.byte_table(
        [m.Row(one, NAMESPACE, note=str(at), key=one, lit=one == job_id) for at, one in enumerate(DEMO, 1)],
        label="The pending set: each member's bytes, and its place in mint order",
        note="minted",
        heads=False,
    )
    key_of, pending = m.code(keys.job(job_id)), m.code(keys.pending)
    verb = f"enqueue({job_id}, …)"
    steps = (
        (
            "The id",
            stamp_frame(job_id).html,
            f"First the name: {m.code('JOB', 'ns')} says what it is, the digits behind it when, where and in which "
            "order it was made. Whoever makes it asks nobody.",
        ),
        (
            "The keys",
            m.keyspace("two keys, built from the queue's name and the id", {keys.pending: (), keys.job(job_id): ()}),
            f"The queue's name makes one key, queue and id the other: {pending} and {key_of}. On a cluster, "
            "keys with the same text in braces live on the same server, so one script may touch both.",
        ),
        (
            "enqueue",
            m.wire(("EVALSHA", "…", 2, keys.pending, keys.job(job_id), job_id, payload), f"(integer) {int(reply)}")
            + m.keyspace("the row", {keys.job(job_id): pairs}),
            f"The first verb, {m.code(verb)}, is one script: is it a job, is it new, then write. It answered "
            f"{m.tag('b', m.esc(reply.name.lower()))}.",
        ),
        (
            "browse",
            m.wire(newest, page) + members,
            "The second verb reads the set of names from either end. No time is stored, and yet the newest come first: "
            "the bytes are in the order of minting.",
        ),
        (
            "pending_size",
            m.wire(("ZCARD", keys.pending), f"(integer) {jobs.pending_size()}") + members,
            "The third verb counts them. There is no fourth: that is the whole surface.",
        ),
    )
    tabs = [(name, "", at) for at, (name, _, _) in enumerate(steps)]
    return [Frame(m.tabs(tabs, at) + html, words, scene="picture") for at, (_, html, words) in enumerate(steps)]


def one_picture() -> Stage:
    """How ids, keys and verbs fit together, on a Stage."""
    return Stage(one_picture_frames(), title="One job, one picture", lead="An id, two keys, three verbs.")


CLAIMS: Final = {
    "the second call changes nothing": "J2",
    "three verbs, and keys stay inside": "J1",
    "no second index anywhere": "J4",
    "ids and parameters, never rows": "J5",
    "the key let it pass, the law did not": "J3",
}
"""Exercise 1: a claim in few words, and the line of the record that makes it."""

NAMES: Final = tuple(map(name_of, RECORD))


def _lines(answer: object) -> str:
    if not isinstance(answer, Mapping):
        raise Mistake(f"expected a dict of claim to line; got {type(answer).__name__}")
    claims = tuple(CLAIMS)
    if any(line in claims for line in answer.values()):
        raise Mistake("your dict goes from line to claim; turn it round")
    if missing := [claim for claim in CLAIMS if answer.get(claim, ...) is ...]:
        raise Mistake(f"{len(missing)} of the claims have no line yet, the first: {missing[0]!r}")
    for claim in CLAIMS:
        if answer[claim] not in NAMES:
            digit = re.search("[1-5]", str(answer[claim]))
            raise Mistake(f"write the name as `J{digit[0] if digit else 1}`; got {answer[claim]!r}")
    wrong = [claim for claim, line in CLAIMS.items() if answer[claim] != line]
    if not wrong:
        return "each line is a claim, and each claim has a gate that does it."
    pair = {answer[claim] for claim in wrong}
    if pair == {"J2", "J3"}:
        raise Mistake("J2 and J3 are changed over: J2 is about the same id twice, J3 about an id of another kind.")
    if pair == {"J4", "J5"}:
        raise Mistake("J4 and J5 are changed over: J4 is about the order of names, J5 about what the payload carries.")
    raise Mistake(f"{answer[wrong[0]]} does not say {wrong[0]!r}. Read its line once more.")


ASKED: Final = ("tickets", DEMO[0])


def _keys(answer: object) -> str:
    keys = Keys(ASKED[0])
    right = (keys.pending, keys.job(ASKED[1]))
    if isinstance(answer, str) or not isinstance(answer, Sequence) or len(answer) != len(right):
        raise Mistake(f"expected two keys, the pending set's and the row's; got {type(answer).__name__}")
    given: tuple[Any, ...] = tuple(answer)
    if strange := [type(key).__name__ for key in given if not isinstance(key, str)]:
        raise Mistake(f"write the keys as text; got {strange[0]}")
    if given == right:
        return "the queue's name in braces, so that both keys live on one server."
    if given == right[::-1]:
        raise Mistake("those are the keys, the other way round: the pending set's comes first.")
    if given == tuple(key.replace("{", "").replace("}", "") for key in right):
        raise Mistake("the braces are missing. Without them a cluster may put the two keys on different servers.")
    if (other := re.match(r"emq:\{(.*)\}:", given[0])) and other[1] != ASKED[0]:
        raise Mistake(f"the queue is called tickets; got {other[1]!r} between the braces.")
    if given[0] == right[0]:
        raise Mistake("the pending set's key is right; the row's ends in :job: and the id.")
    raise Mistake("not yet. The pattern is emq:{queue}:pending and emq:{queue}:job:id.")


CANDIDATES: Final = (
    "JOB0Nvmd8aV5iy",
    "job0Nvmd8aV5iy",
    "JOB0Nvmd8aV5i",
    "JOB0Nvmd8aV5i_",
    "ORD0Nt6z93U3dY",
    "JOBAzL8n0Y58m8",
    "JOBAzL8n0Y58m7",
)
"""Exercise 3: which of these are ids?"""


def _well_formed(text: str) -> str:
    """Why `text` is no id; empty when it is one."""
    try:
        BrandedId(text)
    except InvalidId as error:
        return str(error)
    return ""


def _ids(answer: object) -> str:
    given = set(as_list(answer, "the texts that are ids, as a list"))
    if strange := given - set(CANDIDATES):
        raise Mistake(f"{min(map(str, strange))!r} is not among the candidates")
    for text in CANDIDATES:
        fault = _well_formed(text)
        if fault and text in given:
            raise Mistake(f"{text} is no id: {fault}")
        if not fault and text not in given:
            kind = (
                ""
                if text.startswith("JOB")
                else " Any namespace makes an id; which kinds may be jobs is the script's to say."
            )
            raise Mistake(f"{text} is one, and it is missing.{kind}")
    return (
        "well formed is a question of bytes: fourteen of them, three letters, eleven digits, and not above the largest."
    )


EXERCISES: Final = {
    "1": Check("Find the line for each claim.", _lines),
    "2": Check("Build the two keys of a job.", _keys),
    "3": Check("Tell ids from texts that only look like them.", _ids),
}
