"""What a bot answered, as the sandbox returned it, becomes the reply that the game's driver judges.

Whatever a bot did is its own fault here. A failure of the platform is raised before (agon.contest.arena).
"""

from agon.contest.file_change import SHOWN, file_change
from agon.contest.readiness import text_of
from agon.contest.reasons import from_sandbox
from games.core.driver import Reply
from games.core.faults import FaultCause, FaultKind
from games.core.game import Json
from games.core.reason import Reason
from games.core.wording import LONGEST_REASON, quote, shorten
from sandbox.api import Failed, Limits, Line, ProgramRun, Times
from sandbox.building.loading import exception_in
from sandbox.hints import with_hint

FAILED_TRIAL = Reply(None, FaultCause(FaultKind.CRASH, Reason("stopped_on_trial")))


def stdio_reply(answer: Line | Failed, most: int, function: Limits | None) -> Reply:
    """The driver's reply for a bot's answer. most: the longest that the game needs, in bytes.

    function: the limits of a Python function, None for a program.

    If the function raised, the line says so (sandbox.building.function_runner): that is a crash.
    """
    if isinstance(answer, Failed):
        reason = from_sandbox(answer.reason)
        if answer.rest:
            rest = quote(text_of(answer.rest))
            reason = Reason("unfinished_line", reason=reason, line=rest)
        cause = FaultCause(FaultKind(answer.kind), reason)
        return _reply(None, answer.times, cause, answer.host)
    if len(answer.text) > most:
        start = quote(text_of(answer.text[:SHOWN]))
        excess = Reason("answer_too_long", most=most, start=start)
        return _reply(None, answer.times, FaultCause(FaultKind.FLOOD, excess))
    text = text_of(answer.text)
    raised = None if function is None else exception_in(text)
    if function is None or raised is None:
        return _reply(text, answer.times)
    why = with_hint(raised.reason("function_raised"), raised.error, function)
    return _reply(text, answer.times, FaultCause(FaultKind.CRASH, from_sandbox(why)))


def program_reply(before: bytes, ran: ProgramRun, most: int) -> Reply:
    """The driver's reply for a program's run. before: the file's contents at the start. most: as above.

    How the program ended is judged first; what it wrote, only if it ended well.
    """
    if ran.failed is not None:
        cause = FaultCause(FaultKind(ran.failed.kind), from_sandbox(ran.failed.reason))
        return _reply(None, ran.times, cause, ran.failed.host)
    return _reply(file_change(before, ran, most), ran.times)


def _reply(raw: Json, times: Times, fault: FaultCause | None = None, host: str = "") -> Reply:
    if fault is not None:
        fault = FaultCause(fault.kind, fault.reason.map(text=lambda text: shorten(text, LONGEST_REASON)))
    if not times.measured:
        return Reply(raw, fault, times.wall_us, None, None)
    return Reply(raw, fault, times.wall_us, times.cpu_us, times.wait_us, host)
