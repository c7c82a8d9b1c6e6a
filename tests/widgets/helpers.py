"""What the tests of the widgets and of the lessons share: how to read a widget, and how to press its buttons."""

import re
from collections.abc import Iterable, Iterator
from html import unescape

import ipywidgets

from emq.widgets import Frame

HOSTILE = '</scRipt ><img src=x onerror="alert(1)">\'&'


def text(html: str) -> str:
    """What is left of `html` without its tags, as a live region speaks it."""
    return unescape(re.sub("<[^>]*>", "", html))


def words(html: str) -> str:
    """As `text`, with one space wherever a tag stands: so the cells of a table do not run into each other."""
    return " ".join(unescape(re.sub("<[^>]*>", " ", html)).split())


def scene(frames: Iterable[Frame], name: str) -> list[Frame]:
    return [frame for frame in frames if frame.scene == name]


def parts(widget: ipywidgets.Widget) -> Iterator[ipywidgets.Widget]:
    """The widget, and all that it is made of."""
    yield widget
    for child in getattr(widget, "children", ()):
        yield from parts(child)


def press(widget: ipywidgets.Widget, label: str) -> None:
    """Presses the one button in `widget` that is called `label`."""
    (button,) = (each for each in parts(widget) if isinstance(each, ipywidgets.Button) and each.description == label)
    button.click()
