from tests.support.boxes import artifacts, compiled, opened, program, sandbox, session, warm

__all__ = ["artifacts", "compiled", "opened", "program", "sandbox", "session", "warm"]
