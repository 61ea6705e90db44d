"""Which sandbox to use."""

from sandbox.api import Sandbox, SandboxError

NAMES = ("docker", "bubblewrap")


def choose(name: str | None) -> Sandbox:
    """See sandbox.open_sandbox."""
    if name is not None:
        return open_named(name)
    reasons = []
    for candidate in NAMES:
        try:
            return open_named(candidate)
        except SandboxError as error:
            reasons.append(f"{candidate}: {error}")
    raise SandboxError("no sandbox works here\n" + "\n".join(reasons))


def open_named(name: str) -> Sandbox:
    """The sandbox of that name, or SandboxError saying why it does not work here."""
    if name == "bubblewrap":
        from sandbox.bubblewrap import Bubblewrap

        return Bubblewrap()
    if name == "docker":
        from sandbox.docker import Docker

        return Docker()
    raise SandboxError(f"there is no sandbox {name!r}: expected one of {', '.join(NAMES)}")
