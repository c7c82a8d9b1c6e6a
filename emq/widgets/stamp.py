"""The stamp at a page's foot: a branded id, decoded on the page by the decoder that decodes every other id."""

from emq.ids import BrandedId
from emq.widgets.decoder import decoder_frames, stamp_frame
from emq.widgets.stage import Choice, Frame, Stage


def stamp_frames(text: str | bytes) -> list[Frame]:
    """One compact frame that tells everything, then the decoder's steps. Raises `InvalidId` when `text` is no id."""
    branded = BrandedId(text)
    choices = (Choice("Decoded", 0), Choice("Step by step", 1))
    return [stamp_frame(branded, choices), *decoder_frames(branded, choices=choices)]


class Stamp(Stage):
    """``Stamp("DIV…")``: says when and where the page was made, out of the id alone.

    A page's id is composed once, with the dive's number as its node:
    ``BrandedId.compose("DIV", datetime(2026, 11, 30, 18, tzinfo=UTC), node=3)``. The kind ``DIV`` stands in no
    registry: a page is never enqueued, it is only named.
    """

    def __init__(self, text: str | bytes) -> None:
        super().__init__(stamp_frames(text), title="The stamp of this page")
        self.add_class("emq-stamp")
