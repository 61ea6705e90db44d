"""The limit of open files and connections of a process."""

import resource


def raise_limit() -> int:
    """Raise this process's limit to the hard limit, and return it."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


def limit() -> int:
    """The current limit of this process."""
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]
