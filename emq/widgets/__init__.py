"""The widgets of the dives: pictures stepped through on one Stage.

Stage, Frame, Choice         frames computed in Python, drawn in any notebook or page
Lesson, needs_kernel         a Stage with stock controls beside it
Ask, Asks, Act, Says         those controls: free input, a button, and the line that says what came of it
Predict, Prediction, Guess   a question whose answers are guesses with their reasons
Stamp                        a page's stamp: a branded id, decoded
JobRow, LiveSort, AdmissionSteps, ThreeIndexes, Cargo, Record, Counterexample
                             the dives' pictures, each a pure function from data to frames and a class
ClassBoard                   what a whole class enqueues, live
"""

from emq.widgets.admission import AdmissionSteps
from emq.widgets.ask import Act, Ask, Asks, Says
from emq.widgets.cargo import Cargo
from emq.widgets.class_board import ClassBoard
from emq.widgets.counterexample import Counterexample
from emq.widgets.job_row import JobRow
from emq.widgets.live_sort import LiveSort
from emq.widgets.predict import Guess, Predict, Prediction
from emq.widgets.record import Record
from emq.widgets.stage import Choice, Frame, Lesson, Stage, needs_kernel
from emq.widgets.stamp import Stamp
from emq.widgets.three_indexes import ThreeIndexes

__all__ = [
    "Act",
    "AdmissionSteps",
    "Ask",
    "Asks",
    "Cargo",
    "Choice",
    "ClassBoard",
    "Counterexample",
    "Frame",
    "Guess",
    "JobRow",
    "Lesson",
    "LiveSort",
    "Predict",
    "Prediction",
    "Record",
    "Says",
    "Stage",
    "Stamp",
    "ThreeIndexes",
    "needs_kernel",
]
