"""Every error that emq raises on purpose, under one base.

Each also derives from the builtin that a caller would guess, so ``except ValueError`` and ``except ConnectionError``
work for code that has never heard of emq. A message says what was expected, what came, and where.
"""

from reprlib import Repr


class _Short(Repr):
    def repr_int(self, x: int, level: int) -> str:
        try:
            return super().repr_int(x, level)
        except ValueError:  # Python writes out no int of more than 4300 digits
            return f"an int of {x.bit_length()} bits"


_REPR = _Short()
_REPR.maxstring = _REPR.maxother = _REPR.maxlong = 60


def show(value: object) -> str:
    """`value` for a message: its repr, elided in the middle past 60 characters, so that a hostile input stays short."""
    try:
        return _REPR.repr(value)
    except Exception:  # noqa: BLE001  # up to Python 3.11 it takes any type of the name `array` for the standard one
        return _REPR.repr_instance(value, 0)


class EmqError(Exception):
    """The base of every error below."""


class InvalidId(EmqError, ValueError):
    """Not a branded id: the message names the rule that is broken and the character that breaks it."""


class InvalidQueue(EmqError, ValueError):
    """Not a queue name."""


class InvalidPayload(EmqError, TypeError):
    """Not a payload: neither ``bytes`` nor a ``str`` that has a UTF-8 form."""


class InvalidWindow(EmqError, ValueError):
    """Not a question that the pending set can answer: a bad count, prefix, time, or a mix of them."""


class InvalidEngineUrl(EmqError, ValueError):
    """Not the URL of an engine. The message never holds the URL, since a URL may hold a password."""


class EngineUnavailable(EmqError, ConnectionError):
    """The engine did not answer, or did not let us in. The message names host and port, never the password."""

    def _render_traceback_(self) -> list[str]:
        # IPython asks for this. A student whose server is down needs the line, not forty frames of socket code.
        return [f"{type(self).__name__}: {self}"]


class InvalidHolder(EmqError, ValueError):
    """Not a name under which a node number can be leased."""


class InvalidLease(EmqError, ValueError):
    """Not a time, in milliseconds, for which a node number is leased."""


class NodesTaken(EmqError, RuntimeError):
    """All 1024 node numbers are leased."""


class KindRefused(EmqError):
    """The script refused the kind of the id. ``code`` is the error's class on the wire."""

    code = "EMQKIND"


class InvalidKind(EmqError, ValueError):
    """Not a line that says what a kind names."""


class KindTaken(EmqError, ValueError):
    """A namespace was registered twice."""


class CorruptQueue(EmqError):
    """The pending set holds a member that is no branded id. Somebody else wrote it; it is reported, never skipped."""


class CargoRefused(EmqError, ValueError):
    """The cargo law was broken: a row or a blob in a payload, or a payload that is no JSON object."""


class ForkedMint(EmqError, RuntimeError):
    """A minter crossed a fork. Parent and child would mint the same ids, so the child needs a node of its own."""
