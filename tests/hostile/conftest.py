from tests.sandbox.boxes import artifacts, compiled, opened, sandbox, session

__all__ = ["artifacts", "compiled", "opened", "sandbox", "session"]
