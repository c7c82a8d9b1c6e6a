"""Free input beside a Stage: a labelled field, a button, and a line that says what came of it.

Every callback of a widget goes through here, since an exception inside one would vanish: the line shows it instead.
"""

from collections.abc import Callable, Mapping

import ipywidgets

from emq.errors import EmqError
from emq.widgets.markup import esc, tag


def named(error: BaseException) -> str:
    """The class of `error` and its words, if it has any: a reader's own may fail to say them."""
    try:
        words = str(error)
    except Exception:  # whatever it is, the class alone has to do
        words = ""
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


class Says(ipywidgets.HTML):
    """A line that says what came of an action; a screen reader hears it as it changes."""

    def __init__(self) -> None:
        super().__init__("")
        self.add_class("emq-says")
        self.say("")

    def say(self, text: str, *, error: bool = False) -> None:
        """Shows plain `text`."""
        self.value = tag("p", esc(text), role="status", cls="emq-says-error" * error)

    def act(self, action: Callable[[], str | None]) -> None:
        """Runs `action` and shows the text that it returns, or the error that it raises."""
        try:
            self.say(action() or "")
        except EmqError as error:
            self.say(str(error), error=True)
        except Exception as error:  # whatever it is, the reader shall see it: nobody else is there to
            self.say(named(error), error=True)


class Act(ipywidgets.HBox):
    """A button that runs `action`: ``Act("Scramble again", self.scramble, says)``."""

    def __init__(self, label: str, action: Callable[[], str | None], says: Says) -> None:
        button = ipywidgets.Button(description=label)
        button.on_click(lambda _: says.act(action))
        super().__init__([button])


class Asks(ipywidgets.HBox):
    """Fields, label to first value, and a button `verb` that runs ``action(*texts)`` on what they hold."""

    def __init__(self, fields: Mapping[str, str], verb: str, action: Callable[..., str | None], says: Says) -> None:
        self._first = tuple(fields.values())
        self.fields = tuple(
            ipywidgets.Text(value, description=label, continuous_update=False, style={"description_width": "initial"})
            for label, value in fields.items()
        )
        button = ipywidgets.Button(description=verb)
        self._run = lambda _: says.act(lambda: action(*(field.value for field in self.fields)))
        button.on_click(self._run)
        super().__init__([*self.fields, button])
        self.add_class("emq-ask")

    def restore(self) -> None:
        """The first texts again, without running the action."""
        for field, text in zip(self.fields, self._first, strict=True):
            field.value = text


class Ask(Asks):
    """A field labelled `label` that holds `value`, and a button `verb`; Enter or the button runs ``action(text)``."""

    def __init__(self, label: str, value: str, verb: str, action: Callable[[str], str | None], says: Says) -> None:
        super().__init__({label: value}, verb, action, says)
        (self.field,) = self.fields
        self.field.observe(self._run, "value")

    def restore(self) -> None:
        self.field.unobserve(self._run, "value")
        super().restore()
        self.field.observe(self._run, "value")
