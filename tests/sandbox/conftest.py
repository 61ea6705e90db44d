"""Real boxes for the tests of the sandbox."""

from tests.support.boxes import artifacts, compiled, opened, program, sandbox, session, warm, warm_box
from tests.support.cpu_load import counted_waits, uncounted_waits

__all__ = ["artifacts", "compiled", "counted_waits", "opened", "program", "sandbox", "session"]
__all__ += ["uncounted_waits", "warm", "warm_box"]
