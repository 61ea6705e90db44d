from tests.support.boxes import artifacts, compiled, opened, program, sandbox, session, warm, warm_box

__all__ = ["artifacts", "compiled", "opened", "program", "sandbox", "session", "warm", "warm_box"]
