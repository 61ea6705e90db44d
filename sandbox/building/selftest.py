"""Finds out which languages a sandbox can play: each must pass its self-test in it.

A language's version is queried inside the sandbox (its tools, not the host's). Then its self-test program is
built and run as a bot would be, over both channels: without arguments it answers every line with the same
line and "!" (`stdio`); with arguments FILE GIVEN SAID it appends GIVEN to FILE and prints SAID (`program`). A
pass is valid for this sandbox, this version and this recipe, and is kept in the store's folder `languages/`.
A failure is kept only in the process, and tried again after FAILURE_SECONDS: the machine may have been short
of something. What is missing is found out once in a process.
"""

import hashlib
import json
import math
import shlex
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import NamedTuple
from weakref import WeakKeyDictionary

from sandbox.api import Artifact, Failed, LanguageMissing, Limits, Sandbox, SandboxError
from sandbox.boxes.channel import exchange
from sandbox.building.recipes import of_language
from sandbox.languages.registry import Language, all_languages, families
from sandbox.reason_texts import english
from sandbox.source import Source, SourceFile

BUILD_LIMITS = Limits(memory_mib=512, processes=64, work_mib=256, output_bytes=16 << 20, open_files=256)
BUILD_SECONDS = 60.0
FAILURE_SECONDS = 60.0
_START_SECONDS = 10.0  # for an answer of a self-test, even on a busy machine

_versions: WeakKeyDictionary[Sandbox, dict[str, str]] = WeakKeyDictionary()
_states: "WeakKeyDictionary[Sandbox, dict[str, _Kept]]" = WeakKeyDictionary()


@dataclass(frozen=True)
class LanguageState:
    """Whether a language works in a sandbox. `version`: "" if it is not installed. `problem`: why it does not
    work."""

    language: Language
    version: str
    works: bool
    problem: str


class _Kept(NamedTuple):
    """until: monotonic seconds."""

    state: LanguageState
    until: float


def query_versions(sandbox: Sandbox) -> None:
    """Query all versions up front: one box per image, not one per language. Raises SandboxError."""
    for family in families():
        with suppress(LanguageMissing):  # state() reports it for each language
            versions(sandbox, languages_in_image(sandbox, family))


def state(language: Language, sandbox: Sandbox, store: Path | None = None) -> LanguageState:
    """Whether a language works; after a pass not tried again in this process. Raises SandboxError."""
    known = _states.setdefault(sandbox, {})
    kept = known.get(language.slug)
    if kept is None or kept.until < monotonic():
        if kept is not None:
            forget(language, sandbox)  # it may have been installed since
        try:
            tested = _check_language(language, sandbox, store)
        except LanguageMissing as missing:  # not kept: the image may be built at any moment
            return LanguageState(language, "", False, str(missing))
        except OSError as error:  # a full disk
            raise SandboxError(f"the self-test of {language.title} failed: {error}") from error
        kept = _Kept(tested, math.inf if tested.works else monotonic() + FAILURE_SECONDS)
        known[language.slug] = kept
    return kept.state


def forget(language: Language, sandbox: Sandbox) -> None:
    """Have a language looked for and tried anew: one of its programs could not be started."""
    for known in (_versions, _states):
        known.get(sandbox, {}).pop(language.slug, None)


def languages_in_image(sandbox: Sandbox, family: str) -> tuple[Language, ...]:
    """The languages in the boxes of a family: all that have the same image. Raises LanguageMissing."""
    image = sandbox.image(family)

    def has_same_image(other: str) -> bool:
        with suppress(LanguageMissing):
            return sandbox.image(other) == image
        return False

    families_in_image = {other for other in families() if has_same_image(other)}
    return tuple(language for language in all_languages() if language.family in families_in_image)


def versions(sandbox: Sandbox, languages: Sequence[Language]) -> dict[str, str]:
    """The version of each of these languages, which share an image; "" if it is not installed.

    Raises LanguageMissing, and SandboxError.
    """
    known = _versions.setdefault(sandbox, {})
    missing = [language for language in languages if language.slug not in known]
    if missing:
        known |= _query_versions(sandbox, missing)
    return {language.slug: known[language.slug] for language in languages}


def _query_versions(sandbox: Sandbox, languages: Sequence[Language]) -> dict[str, str]:
    """Query several versions in one box, because opening a box costs more than the queries."""
    script = "".join(
        f"command -v {shlex.quote(language.version[0])} >/dev/null && "
        f'echo "agon: {language.slug}: $({shlex.join(language.version)} 2>&1 </dev/null | head -n 1)"\n'
        for language in languages
    )
    with tempfile.TemporaryDirectory(prefix="agon-versions-") as folder:
        empty = Path(folder, "source")
        empty.mkdir()
        steps, result = [("sh", "-c", f"{script}:")], Path(folder, "result")
        ran = sandbox.build(empty, steps, BUILD_LIMITS, BUILD_SECONDS, result, languages[0].family)
    if not ran.ok:
        raise SandboxError(
            f"the versions of languages cannot be queried: {english(ran.reason)} {ran.log[-500:]}"
        )
    by_slug = dict.fromkeys((language.slug for language in languages), "")
    for line in ran.log.splitlines():
        prefix, _, rest = line.partition(": ")
        slug, _, version = rest.partition(": ")
        if prefix == "agon" and slug in by_slug:
            by_slug[slug] = version.strip() or "unknown version"
    return by_slug


def _check_language(language: Language, sandbox: Sandbox, store: Path | None) -> LanguageState:
    image = sandbox.image(language.family)
    version = versions(sandbox, [language])[language.slug]
    if not version:
        return LanguageState(language, "", False, f"not installed (Debian: {language.package})")
    marker = None if store is None else _marker_file(language, version, f"{sandbox.name} {image}", store)
    if marker is not None and marker.exists():
        return LanguageState(language, version, True, "")
    problem = selftest(language, sandbox)
    if marker is not None and not problem:
        marker.parent.mkdir(parents=True, exist_ok=True)
        marker.write_text(
            json.dumps({"sandbox": sandbox.name, "language": language.slug, "version": version}) + "\n"
        )
    return LanguageState(language, version, not problem, problem)


def _marker_file(language: Language, version: str, where: str, store: Path) -> Path:
    key = hashlib.sha256("\0".join((where, language.digest, version)).encode()).hexdigest()
    return store / "languages" / f"{language.slug}-{key[:24]}.json"


def selftest(language: Language, sandbox: Sandbox) -> str:
    """Build and run a self-test program; return what went wrong, or "". Raises SandboxError."""
    name = language.file_name("")
    source = Source(name, (SourceFile(name, language.selftest.encode(), False),), language.slug)
    recipe = of_language(source, language, name if language.needs_main else None)
    folder = Path(tempfile.mkdtemp(prefix="agon-selftest-"))
    try:
        (folder / "source").mkdir()
        source.write(folder / "source")
        given, files = folder / "source", folder / "files"
        ran = sandbox.build(given, recipe.steps, BUILD_LIMITS, BUILD_SECONDS, files, recipe.family)
        if not ran.ok:
            return f"its self-test does not build: {english(ran.reason)} {ran.log.strip()[-300:]}".strip()
        name = f"selftest-{language.slug}"
        artifact = Artifact(folder, name, language.slug, recipe.command, recipe.python, recipe.family)
        artifact.save()
        return _play(artifact, sandbox)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _play(artifact: Artifact, sandbox: Sandbox) -> str:
    with closing(sandbox.open(artifact, Limits())) as box:
        with closing(box.session()) as session:
            answer = exchange({0: (session.start(), b"agon 1\n", _START_SECONDS)})[0]
        if isinstance(answer, Failed):
            return f"its self-test fails over lines: {english(answer.reason)}"
        if answer.text != b"agon 1!":
            return f"its self-test answers a line with {answer.text[:80]!r}"
        with closing(box.session()) as session:
            ran = session.run(["given", "said"], b"kept ", _START_SECONDS)
        if ran.failed is not None:
            return f"its self-test fails as a program of one move: {english(ran.failed.reason)}"
        if (ran.file, ran.stdout.strip()) != (b"kept given", b"said"):
            return f"its self-test, run for one move, leaves {ran.file!r} and prints {ran.stdout[:80]!r}"
        return ""
