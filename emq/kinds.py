"""The registry of kinds: what each namespace names, said once."""

from collections.abc import Iterator, Mapping

from emq.errors import InvalidKind, KindTaken, show
from emq.ids import check_namespace


class Kinds(Mapping[str, str]):
    """A mapping of namespace to the line that says what it names. ``ORD`` and ``ARC`` stand in every new one.

    A kind is registered for ever: there is no way to rename or remove it, since its ids are already out there.
    """

    def __init__(self) -> None:
        self._lines: dict[str, str] = {}
        self.register("ORD", "an order: what a customer asked for")
        self.register("ARC", "an archive: what is kept for ever")

    def register(self, namespace: str, line: str) -> None:
        """Adds `namespace`, which `line` says in words.

        Raises `InvalidId` when it is ill-formed, `InvalidKind` when the line is blank, `KindTaken` when the namespace
        stands here already.
        """
        namespace = check_namespace(namespace)
        if not isinstance(line, str) or not line.strip():
            raise InvalidKind(f"expected a line that says what {namespace} names; got {show(line)}")
        if namespace in self._lines:
            raise KindTaken(f"expected a new namespace; {namespace} already names {self._lines[namespace]!r}")
        self._lines[namespace] = line

    def __getitem__(self, namespace: str) -> str:
        return self._lines[namespace]

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)
