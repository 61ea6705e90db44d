"""Languages prove themselves in the real sandbox before they are offered."""

from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.api import Sandbox
from sandbox.build import build
from sandbox.languages import states
from sandbox.languages.registry import get
from sandbox.uploads import pasted

ALWAYS = ("bash", "c", "cpp", "perl", "python")  # every machine that runs the tests has them


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget what other tests found out about the same sandbox."""
    monkeypatch.setattr(states, "_states", type(states._states)())


@pytest.mark.parametrize("slug", ALWAYS)
@pytest.mark.compilers
def test_a_language_that_is_there_passes_its_selftest(slug: str, sandbox: Sandbox, store: Path) -> None:
    state = states.state(get(slug), sandbox, store)
    assert (state.works, state.why) == (True, "")
    assert any(char.isdigit() for char in state.version)


def test_all_languages_are_offered_or_say_why_not(sandbox: Sandbox, store: Path) -> None:
    for state in states.offered(sandbox, store):
        if state.version:
            assert state.works, (state.language.slug, state.why)
        else:
            assert state.why == f"not installed (Debian: {state.language.package})"


def test_a_pass_is_kept_for_the_next_process(sandbox: Sandbox, store: Path, monkeypatch) -> None:
    language = get("perl")
    assert states.state(language, sandbox, store).works
    states._states.clear()
    monkeypatch.setattr(states, "selftest", lambda *_: "tested again")
    assert states.state(language, sandbox, store).works
    states._states.clear()
    changed = replace(language, digest="another recipe")
    assert states.state(changed, sandbox, store).why == "tested again"


def test_a_language_that_is_missing_says_what_to_install(sandbox: Sandbox, monkeypatch, store: Path) -> None:
    missing = replace(
        get("perl"), slug="klingon", title="Klingon", version=("klingon", "-v"), package="qapla"
    )
    monkeypatch.setattr("sandbox.languages.registry.all_languages", lambda: (missing,))
    result = build(pasted("x", "klingon"), sandbox, store)
    assert result.reason == "Klingon is not offered here: not installed (Debian: qapla)"


@pytest.mark.parametrize(
    ("selftest", "why"),
    [
        ("print qq(\n", "does not build"),
        ('$| = 1; print <STDIN> . ""', "answers a line with b'agon 1'"),
        ("exit 3", "fails over lines"),
        ("if (@ARGV) { exit 3 } print <STDIN> =~ s/$/!/r", "fails as a program of one move"),
        ('print @ARGV ? "said" : <STDIN> =~ s/$/!/r', "run for one move, leaves b'kept '"),
    ],
)
def test_a_language_that_fails_its_selftest_is_not_offered(
    selftest: str, why: str, sandbox: Sandbox, store: Path
) -> None:
    state = states.state(replace(get("perl"), slug="broken", selftest=selftest), sandbox, store)
    assert not state.works
    assert why in state.why
    assert not list(store.rglob("broken*"))
