"""The widgets of the dives: pictures stepped through on one Stage.

Stage, Frame, Choice    frames computed in Python, drawn in any notebook or page
Lesson, needs_kernel    a Stage with stock controls beside it
"""

from emq.widgets.stage import Choice, Frame, Lesson, Stage, needs_kernel

__all__ = ["Choice", "Frame", "Lesson", "Stage", "needs_kernel"]
