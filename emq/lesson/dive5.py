"""What dive 5, at scale, asks."""

from collections.abc import Callable
from typing import Any, Final

from emq.engine import connect
from emq.ids import BrandedId
from emq.jobs import Jobs
from emq.lesson.exercises import Check, Mistake
from emq.lesson.scale import FULL, job_ids
from emq.widgets.predict import Guess, Prediction

PREDICTIONS: Final = {
    "stop": Prediction(
        "The filling is interrupted within a chunk, and the cell is run again. What has happened to the jobs?",
        (
            Guess(
                "Some are in twice",
                "the chunk is sent again from its start",
                "It is sent again, and each id that is in already answers duplicate. Sent twice is not in twice.",
            ),
            Guess(
                "Each is in once",
                "the id is the receipt: asking again for what is in changes nothing",
                "So stopping needs no ceremony: no transaction, no note of how far it came.",
                right=True,
            ),
            Guess(
                "Some are missing",
                "the replies to the chunk were never read",
                "A job is in when the script has run, whoever reads the reply; what did not run is asked for again.",
            ),
        ),
    ),
    "pages": Prediction(
        "The queue grows a thousandfold. By how much does the engine's time for the newest page grow?",
        (
            Guess(
                "A thousandfold",
                "there is a thousand times as much to look through",
                "Nothing is looked through: the engine goes to the end of the order and reads a page from there.",
            ),
            Guess(
                "Hardly at all",
                "going to a place in an ordered set takes a few steps more, and the page is as long as it was",
                "The steps grow with the logarithm, the page not at all. That is what flat means here.",
                right=True,
            ),
            Guess(
                "About thirtyfold",
                "square roots are a fair middle",
                "Fair, but nothing here takes a square root: ordered sets halve what is left with each step.",
            ),
        ),
    ),
    "offset": Prediction(
        "Pages newest first, by offset. A new job arrives between page one and page two. What does page two show?",
        (
            Guess(
                "What follows page one",
                "the offset says where it ended",
                "It says how many to count off, from an end that has moved by one.",
            ),
            Guess(
                "The last job of page one again, first",
                "everything has moved down by one, and the offset has not",
                "Counting from a moving end repeats a job, or, where jobs leave, skips one. An id stays where it is.",
                right=True,
            ),
            Guess(
                "The new job",
                "it is the newest of all",
                "It is, and so it belongs to page one, which has been read already.",
            ),
        ),
    ),
    "bytes": Prediction(
        "A payload grows by one byte, and its row by about as much as it weighed before. What happened?",
        (
            Guess(
                "The memory allocator rounds up",
                "memory comes in blocks, and the row just needed the next one",
                "It does round, and you see those small stairs too. This step is another one, ten times as high.",
            ),
            Guess(
                "The engine keeps the row in another way",
                "small hashes are one run of bytes, larger ones are real tables, and there is a limit between the two",
                "One value longer than the limit is enough, and the whole row is converted.",
                right=True,
            ),
            Guess(
                "The payload was compressed before",
                "short texts shrink well",
                "Nothing is compressed: the bytes are kept as they came.",
            ),
        ),
    ),
    "index": Prediction(
        "Somebody adds a set scored by mint time, to find jobs by when. What does it cost?",
        (
            Guess(
                "Next to nothing",
                "a score is only one number more",
                "The number is small; the entry around it, with its copy of the id, is as large as the first one.",
            ),
            Guess(
                "As much again as the set, and one write more for each job",
                "it is a second set with the same members",
                "And it answers nothing that the first did not: the time is in the member.",
                right=True,
            ),
            Guess(
                "Time, but no bytes",
                "the ids are there already and are shared",
                "Sets do not share their members: each holds copies.",
            ),
        ),
    ),
}


def _next_page(following: Callable[[Jobs, list[BrandedId]], Any]) -> str:
    if not callable(following):
        raise Mistake(f"the answer is a function following(jobs, page); this is {type(following).__name__}")
    jobs = Jobs(connect("embedded://"), "exercise")
    ids = list(job_ids(0, 50))
    for job_id in ids:
        jobs.enqueue(job_id, "")
    newest_first = ids[::-1]
    got, right = following(jobs, newest_first[:20]), newest_first[20:40]
    jobs.enqueue(next(job_ids(50, 51)), "")
    if got == right and following(jobs, newest_first[:20]) == right:
        return "and it stays right while jobs arrive, since an id does not move"
    if got == right:
        raise Mistake(
            "right while nothing happens; but when a job arrives, this page moves: count from an id, not from an end"
        )
    if got == newest_first[:20]:
        raise Mistake("that is the same page again: the last id of the page has to go into the question")
    if not got:
        raise Mistake("nothing comes back: newest first, one goes on behind the page's last id, which is its oldest")
    if isinstance(got, list) and got[0] in newest_first[:20]:
        raise Mistake(f"{got[0]} was on the page before: go on from the page's last id, not from its first")
    raise Mistake("a page is twenty ids, newest first, starting behind the page before")


def _edge(answer: int) -> str:
    if answer == 64:
        return "and one byte more turns the whole row into a table"
    if answer == 65:
        raise Mistake("that is the first payload for which it is a table; the question is about the last that stays")
    if answer == 128:
        raise Mistake("that is the limit on how many fields there are; the one on a value's bytes is another")
    raise Mistake("look at the smallest payload whose row is kept as a hashtable, and take one byte off")


def _writes(answer: int) -> str:
    if answer == 3 * FULL:
        return "one more for each job, and it has to be taken out again when the job leaves"
    if answer == 2 * FULL:
        raise Mistake("that is without the index: the set and the row")
    if answer == FULL:
        raise Mistake("that is what the index adds; the set and the row are written too")
    raise Mistake("count the writes of one job: the set, the row, the index")


EXERCISES: Final = {
    "1": Check("Write following(jobs, page): the twenty jobs behind a page, newest first.", _next_page),
    "2": Check("How long may a payload be for its row to stay one run of bytes?", _edge),
    "3": Check("How many writes do a million jobs take with a second index?", _writes),
}
