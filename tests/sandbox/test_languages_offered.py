"""Languages prove themselves in the real sandbox before they are offered."""

import math
import os
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from time import monotonic

import pytest

from sandbox.api import Sandbox, SandboxError
from sandbox.backends import docker_images, open_sandbox
from sandbox.building import selftest as states
from sandbox.building.build import build
from sandbox.languages.registry import all_languages, get
from sandbox.reason_texts import english
from sandbox.uploads.accept import pasted, read_upload
from tests.support.archives import make_zip
from tests.support.boxes import one_backend
from tests.support.languages import offered

CORE = [language.slug for language in all_languages() if language.family == "core"]
OTHERS = [language.slug for language in all_languages() if language.family != "core"]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def there(state: states.LanguageState) -> states.LanguageState:
    """A language whose packages or image are here; in CI it must be."""
    if not state.version:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(state.problem)
    return state


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget what other tests found out about the same sandbox."""
    monkeypatch.setattr(states, "_states", type(states._states)())


@pytest.mark.parametrize(
    "slug", [*CORE, *(pytest.param(slug, marks=pytest.mark.languages) for slug in OTHERS)]
)
@pytest.mark.compilers
def test_a_language_passes_its_selftest_in_the_real_sandbox(slug: str, sandbox: Sandbox, store: Path) -> None:
    state = there(states.state(get(slug), sandbox, store))
    assert (state.works, state.problem) == (True, "")
    assert any(char.isdigit() for char in state.version)


def test_the_core_is_what_ci_always_tests() -> None:
    assert set(CORE) == {"bash", "c", "cpp", "java", "javascript", "python"}
    assert len(CORE + OTHERS) >= 20


def test_every_language_has_a_version_or_says_what_is_missing(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(states, "selftest", lambda *_: "not tried")  # that is shown above
    for state in offered(sandbox):
        family, package = state.language.family, state.language.package
        missing = (f"not installed (Debian: {package})", docker_images.how_to_build(family))
        assert state.version or state.problem in missing


@pytest.mark.docker
def test_a_family_whose_image_is_not_built_is_not_offered_until_it_is(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tag, built = docker_images.tag, []
    monkeypatch.setattr(
        docker_images, "tag", lambda family="core": tag(family if family == "core" or built else "missing")
    )
    perl = get("perl")
    with closing(open_sandbox("docker")) as docker:
        words = states.state(perl, docker, store).problem
        assert words.startswith("the image agon-sandbox-missing:")
        assert words.endswith(" is not built: run python -m sandbox.images scripting")
        assert (
            english(build(pasted("1;", "perl"), docker, store).reason) == f"Perl is not offered here: {words}"
        )
        scripts = read_upload("a.zip", make_zip({"run.sh": b"perl x.pl", "x.pl": b"1;"}))
        assert words in english(build(scripts, docker, store).reason)
        built.append(True)
        assert states.state(perl, docker, store).problem != words


@one_backend
def test_a_pass_is_kept_for_the_next_process(sandbox: Sandbox, store: Path, monkeypatch) -> None:
    language = get("bash")
    assert states.state(language, sandbox, store).works
    states._states.clear()
    monkeypatch.setattr(states, "selftest", lambda *_: "tested again")
    assert states.state(language, sandbox, store).works
    states._states.clear()
    changed = replace(language, digest="another recipe")
    assert states.state(changed, sandbox, store).problem == "tested again"


@one_backend
def test_a_store_that_cannot_be_written_is_a_failure_of_the_platform(sandbox: Sandbox, store: Path) -> None:
    store.mkdir()
    (store / "languages").touch()  # in the place of the folder
    with pytest.raises(SandboxError, match=r"^the self-test of Python failed: .*Errno"):
        states.state(get("python"), sandbox, store)


@one_backend
def test_a_failure_is_tried_again_after_a_while(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Temporary files may have been removed, or the machine may have been too busy."""
    passes, language = states.selftest, get("bash")
    monkeypatch.setattr(states, "selftest", lambda *_: "no space left")
    assert states.state(language, sandbox).problem == "no space left"
    monkeypatch.setattr(states, "selftest", passes)
    assert states.state(language, sandbox).problem == "no space left"
    later = monotonic() + states.FAILURE_SECONDS + 1
    monkeypatch.setattr(states, "monotonic", lambda: later)
    assert states.state(language, sandbox).works


@one_backend
def test_a_language_that_is_installed_later_is_noticed(sandbox: Sandbox, monkeypatch) -> None:
    missing = replace(get("bash"), slug="vulcan", version=("vulcan", "-v"))
    assert states.state(missing, sandbox).problem == "not installed (Debian: bash)"
    later = monotonic() + states.FAILURE_SECONDS + 1
    monkeypatch.setattr(states, "monotonic", lambda: later)
    assert states.state(replace(missing, version=("bash", "--version")), sandbox).works


@one_backend
def test_a_language_that_is_missing_says_what_to_install(sandbox: Sandbox, monkeypatch, store: Path) -> None:
    missing = replace(
        get("bash"), slug="klingon", title="Klingon", version=("klingon", "-v"), package="qapla"
    )
    monkeypatch.setattr("sandbox.languages.registry.all_languages", lambda: (missing,))
    result = build(pasted("x", "klingon"), sandbox, store)
    assert english(result.reason) == "Klingon is not offered here: not installed (Debian: qapla)"


@one_backend
def test_a_language_that_was_removed_since_it_passed_is_no_mistake_of_the_author(
    sandbox: Sandbox, monkeypatch, store: Path
) -> None:
    words = {"version": ("klingon", "-v"), "build": (("klingon", "-n", "{main}"),)}
    klingon = replace(get("bash"), slug="klingon", title="Klingon", package="qapla", **words)
    monkeypatch.setattr("sandbox.languages.registry.all_languages", lambda: (klingon,))
    passed = states._Kept(states.LanguageState(klingon, "klingon 1.0", True, ""), math.inf)
    monkeypatch.setitem(states._states, sandbox, {"klingon": passed})
    monkeypatch.setitem(states._versions, sandbox, {"klingon": "klingon 1.0"})
    result = build(pasted("x", "klingon"), sandbox, store)
    assert english(result.reason) == "Klingon is not offered here: not installed (Debian: qapla)"


ECHO = 'while IFS= read -r line; do echo "$line!"; done'


@one_backend
@pytest.mark.parametrize(
    ("selftest", "why"),
    [
        ("if true; then\n", "does not build"),
        ("cat", "answers a line with b'agon 1'"),
        ("exit 3", "fails over lines"),
        (f"[ $# -gt 0 ] && exit 3; {ECHO}", "fails as a program of one move"),
        (f"[ $# -gt 0 ] && {{ echo said; exit; }}; {ECHO}", "run for one move, leaves b'kept '"),
    ],
)
def test_a_language_that_fails_its_selftest_is_not_offered(
    selftest: str, why: str, sandbox: Sandbox, store: Path
) -> None:
    state = states.state(replace(get("bash"), slug="broken", selftest=selftest), sandbox, store)
    assert not state.works
    assert why in state.problem
    assert not list(store.rglob("broken*"))
