"""The widgets of the dives: pictures stepped through on one Stage.

Stage, Frame, Choice    frames computed in Python, drawn in any notebook or page
Lesson, needs_kernel    a Stage with stock controls beside it
AdmissionSteps          one call of enqueue, line by line
Record                  the seven lines, frozen and live
"""

from emq.widgets.admission import AdmissionSteps
from emq.widgets.record import Record
from emq.widgets.stage import Choice, Frame, Lesson, Stage, needs_kernel

__all__ = ["AdmissionSteps", "Choice", "Frame", "Lesson", "Record", "Stage", "needs_kernel"]
