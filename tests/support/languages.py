"""The languages of a sandbox."""

from sandbox.api import Sandbox
from sandbox.building.selftest import LanguageState, query_versions, state
from sandbox.languages.registry import all_languages


def offered(sandbox: Sandbox) -> tuple[LanguageState, ...]:
    """The state of every language in this sandbox, by title. Raises SandboxError."""
    query_versions(sandbox)
    return tuple(state(language, sandbox) for language in all_languages())
