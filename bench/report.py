"""Writes RESULTS.md: sections that each have one writer, between comments that say where each begins and ends."""

import os
import platform
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "RESULTS.md"
SECTIONS = ("machine", "targets", "enqueue", "ids", "browse", "waits", "site")


def write_section(name: str, text: str) -> None:
    """Puts `text` in the place of section `name`, and leaves every other section as it is."""
    sections = dict.fromkeys(SECTIONS, "")
    if RESULTS.exists():
        found = re.findall(r"<!-- (\w+) -->\n(.*?)\n<!-- /\1 -->", RESULTS.read_text(), flags=re.DOTALL)
        sections.update({each: body for each, body in found if each in sections})
    sections[name] = text.strip()
    body = "\n\n".join(f"<!-- {each} -->\n{text}\n<!-- /{each} -->" for each, text in sections.items() if text)
    RESULTS.write_text(f"# What emq costs, beside its peers and the floor\n\n{body}\n")


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table: the first column text, the others figures."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(str(cell) for cell in row) + " |" for row in (head, rule, *rows))


def machine() -> str:
    """The machine in words that say what it can do and not which one it is."""
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    return (
        f"{_model()}, {os.cpu_count()} cores, {pages:.0f} GiB, {platform.system()}, CPython {platform.python_version()}"
    )


def _model() -> str:
    info = Path("/proc/cpuinfo")
    models = re.findall(r"^model name\s*: (.+)$", info.read_text(), flags=re.MULTILINE) if info.exists() else []
    return models[0] if models else platform.machine()
