"""What dive 5, at scale, asks."""

from collections.abc import Callable
from typing import Any, Final

from emq.engine import connect
from emq.ids import BrandedId
from emq.jobs import Jobs
from emq.lesson.exercises import Check, Mistake
from emq.lesson.scale import FULL, PAGE, job_ids
from emq.widgets.predict import Guess, Prediction

PREDICTIONS: Final = {
    "stop": Prediction(
        "The filling is interrupted within a chunk, and the cell is run again. What has happened to the jobs?",
        (
            Guess(
                "Each is in once",
                "the id is the receipt: asking again for what is in changes nothing",
                "So stopping needs no ceremony: no transaction, no note of how far it came.",
                right=True,
            ),
            Guess(
                "Some are in twice",
                "the chunk is sent again from its start, and part of it was in",
                "It is sent again, and each id that is in already answers duplicate. Sent twice is not in twice.",
            ),
            Guess(
                "Some are missing",
                "the replies to the chunk were never read, so nobody knows of them",
                "A job is in when the script has run, whoever reads the reply; what did not run is asked for again.",
            ),
        ),
    ),
    "pages": Prediction(
        "The queue grows a thousandfold. By how much does the engine's time for the newest page grow?",
        (
            Guess(
                "A thousandfold",
                "there is a thousand times as much to look through before the page is found",
                "Nothing is looked through: the engine goes to the end of the order and reads a page from there.",
            ),
            Guess(
                "Hardly at all",
                "a place in the order is a few steps further down, and the page no longer than before",
                "The steps grow with the logarithm, the page not at all. That is what flat means here.",
                right=True,
            ),
            Guess(
                "About thirtyfold",
                "a square root is a fair middle between looking at everything and at nothing",
                "Fair, but nothing here takes a square root: ordered sets halve what is left with each step.",
            ),
        ),
    ),
    "offset": Prediction(
        "A job that arrives between two pages makes an offset repeat one. And when the newest job leaves in between?",
        (
            Guess(
                "The same: one job is seen twice",
                "whatever changes at the front moves the pages over each other",
                "It moves them the other way. Arrivals make pages overlap; what leaves makes a gap between them.",
            ),
            Guess(
                "Nothing: the pages stay whole",
                "what leaves was on page one, and that has been read already",
                "It was, and all that stood behind it has moved up by one. The offset counts as many as before.",
            ),
            Guess(
                "One job is seen on no page",
                "all move up by one, and the offset counts off as many as before",
                "The first job of page two has moved onto page one, behind the reader's back. An id stays where it is.",
                right=True,
            ),
        ),
    ),
    "bytes": Prediction(
        "A payload grows by one byte, and its row by about as much as it weighed before. What happened?",
        (
            Guess(
                "The engine keeps the row in another way",
                "a small hash is one run of bytes, a larger one a table, with a limit in between",
                "One value longer than the limit is enough, and the whole row is converted.",
                right=True,
            ),
            Guess(
                "The memory allocator rounds up",
                "memory comes in blocks of a few sizes, and the row has just outgrown one of them",
                "It does round, and you see those small stairs too. This step is another one, ten times as high.",
            ),
            Guess(
                "The payload was compressed before",
                "short texts shrink well, and beyond a certain length it no longer pays",
                "Nothing is compressed: the bytes are kept as they came.",
            ),
        ),
    ),
    "index": Prediction(
        "Somebody adds a set scored by mint time, to find jobs by when. What does it cost?",
        (
            Guess(
                "Next to nothing",
                "a score is only one number more, beside an id that is in the engine anyway",
                "The number is small; the entry around it, with its copy of the id, is as large as the first one.",
            ),
            Guess(
                "Time, but no bytes",
                "the ids are there already, and sets of the same members share them",
                "Sets do not share their members: each holds copies.",
            ),
            Guess(
                "As much again as the set, and a write a job",
                "it is a second set with the very same members",
                "And it answers nothing that the first did not: the time is in the member.",
                right=True,
            ),
        ),
    ),
}


class _Heard(Jobs):
    """A queue that remembers whether it was asked from a place in the order, or only from an end."""

    only_from_an_end = True

    def browse(self, *args: Any, **options: Any) -> list[BrandedId]:
        if len(args) > 5 or options.get("after") is not None:
            self.only_from_an_end = False
        return super().browse(*args, **options)


def _next_page(following: Callable[[Jobs, list[BrandedId]], Any]) -> str:
    if not callable(following):
        raise Mistake(f"the answer is a function following(jobs, page); this is {type(following).__name__}.")
    jobs = _Heard(connect("embedded://"), "exercise")
    ids = list(job_ids(0, 50))
    for job_id in ids:
        jobs.enqueue(job_id, "")
    newest_first = ids[::-1]
    page = newest_first[:PAGE]
    got, right = following(jobs, list(page)), newest_first[PAGE : 2 * PAGE]
    jobs.enqueue(next(job_ids(50, 51)), "")
    if got == right and following(jobs, list(page)) == right:
        return "and it stays right while jobs arrive, since an id does not move."
    if got == right:
        raise Mistake(
            "right while nothing happens; but when a job arrives, this page moves: count from an id, not from an end."
        )
    if got == page:
        raise Mistake("that is the same page again: the last id of the page has to go into the question.")
    if not got and jobs.only_from_an_end:
        raise Mistake(
            f"nothing comes back: browse() without a count gives {PAGE} ids from the end of the order, and none of "
            "those is behind the page. Ask from the page's last id on: after=page[-1]."
        )
    if not got:
        raise Mistake("nothing comes back: newest first, one goes on behind the page's last id, which is its oldest.")
    if isinstance(got, list) and got == sorted(got) and got[0] > page[-1]:
        raise Mistake("you went the other way: these are newer than the page's last id.")
    if isinstance(got, list) and got[0] in page:
        raise Mistake(f"{got[0]} was on the page before: go on from the page's last id, not from its first.")
    raise Mistake("a page is twenty ids, newest first, starting behind the page before.")


def _whole(answer: object) -> None:
    if isinstance(answer, bool) or not isinstance(answer, int):
        raise Mistake(f"expected an int; got {type(answer).__name__}.")


def _edge(answer: int) -> str:
    _whole(answer)
    if answer == 64:
        return "and one byte more turns the whole row into a table."
    if answer == 65:
        raise Mistake("that is the first payload for which it is a table; the question is about the last that stays.")
    if answer == 128:
        raise Mistake("that is the limit on how many fields there are; the one on a value's bytes is another.")
    raise Mistake("look at the smallest payload whose row is kept as a hashtable, and take one byte off.")


def _writes(answer: int) -> str:
    _whole(answer)
    if answer == 3 * FULL:
        return "one more for each job, and it has to be taken out again when the job leaves."
    if answer == 2 * FULL:
        raise Mistake("that is without the index: the set and the row.")
    if answer == FULL:
        raise Mistake("that is what the index adds; the set and the row are written too.")
    raise Mistake("count the writes of one job: the set, the row, the index.")


EXERCISES: Final = {
    "1": Check("Write following(jobs, page): the twenty jobs behind a page, newest first.", _next_page),
    "2": Check("How long may a payload be for its row to stay one run of bytes?", _edge),
    "3": Check("How many writes do a million jobs take with a second index?", _writes),
}
