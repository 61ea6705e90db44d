"""From a checked source to an artifact that a box can play.

Theory of operation: the source is written into a temporary folder inside the store, the recipe's steps run
on a *copy* of it in a throw-away box, and only plain files come back. They become `<store>/<key>/files/`
with `artifact.json` and `build.log` beside them, put in place by one rename: an artifact is there as a
whole or not at all. The key is a digest of source, recipe, sandbox, image and versions of the tools, so the
same upload is built once, and anew when a compiler changes. Two processes that build the same thing at once
both do the work; the first rename wins and the other result is thrown away. What a killed process left
unfinished is removed by `remove_unfinished`, and by the next build.

Who is at fault: what the author's files and commands do comes back as `Built.reason`, in words for
them. What the platform fails to do is raised as SandboxError, and the build is to be tried again.
"""

from __future__ import annotations

import errno
import hashlib
import os
from dataclasses import dataclass, replace
from pathlib import Path

from sandbox.api import Artifact, BuildRun, ImageMissing, Sandbox, SandboxError
from sandbox.building.adapter import Adapter, add_adapter
from sandbox.building.recipes import FORMS, Recipe, recipe
from sandbox.building.selftest import BUILD_LIMITS, BUILD_SECONDS, languages_in_image, state, versions
from sandbox.building.store import UNFINISHED, touch
from sandbox.file_names import BadUpload
from sandbox.languages import registry
from sandbox.leftovers import own_folder, remove_leftover_folders
from sandbox.reason import Reason
from sandbox.source import Source

ARTIFACT_BYTES = 96 << 20
TOP_LEVEL = 2048  # files and folders beside the program: each is an inode of every work folder, of 4,096


@dataclass(frozen=True)
class Built:
    """The end of a build. Without an `artifact`, `reason` says why in words for the author (a Reason).

    `log` is what the build printed. `language` is a slug ("" if it could not be told). `seconds` is
    the time of the build itself, 0 where an earlier one was used.
    """

    artifact: Artifact | None
    log: str
    reason: str
    language: str
    seconds: float = 0.0


def build(source: Source, sandbox: Sandbox, store: Path, adapter: Adapter | None = None) -> Built:
    """Build `source` in `sandbox`, or find that this was done before. Raises SandboxError.

    `store` is a folder for artifacts; it is made if missing. `adapter` is put beside bots of its language.
    """
    try:
        how = recipe(source)
        if adapter is not None:
            source, how = add_adapter(adapter, source, how)
    except BadUpload as error:
        return Built(None, "", error.reason, "")
    try:
        store.mkdir(mode=0o700, parents=True, exist_ok=True)
        tools = _tools(how, sandbox, store)
        if isinstance(tools, Built):
            return tools
        place = store / _key(source, how, sandbox, tools)
        return _found(place) or _build(source, how, sandbox, place)
    except OSError as error:
        raise SandboxError(f"a build cannot use {store}: {error}") from error


def _tools(how: Recipe, sandbox: Sandbox, store: Path) -> dict[str, str] | Built:
    """Versions of what the build will use; a refusal if that language does not work here."""
    if how.language in FORMS:  # may use anything there is
        try:
            return versions(sandbox, languages_in_image(sandbox, how.family))
        except ImageMissing as missing:
            return _not_offered(how, str(missing))
    language = registry.get(how.language)
    now = state(language, sandbox, store)
    if not now.works:
        return _not_offered(how, now.problem)
    return {how.language: now.version}


def _not_offered(how: Recipe, why: str) -> Built:
    reason = Reason("%(language)s is not offered here: %(why)s", language=how.title, why=why)
    return Built(None, "", reason, how.language)


def _key(source: Source, how: Recipe, sandbox: Sandbox, tools: dict[str, str]) -> str:
    parts = [source.digest, how.digest, sandbox.name, sandbox.image(how.family)]
    parts += (f"{slug} {tools[slug]}" for slug in sorted(tools))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _found(place: Path) -> Built | None:
    if not (place / "artifact.json").exists():
        return None
    artifact = Artifact.load(place)
    touch(place)
    return Built(artifact, (place / "build.log").read_text(), "", artifact.language)


def _build(source: Source, how: Recipe, sandbox: Sandbox, place: Path) -> Built:
    unfinished = place.parent / UNFINISHED
    unfinished.mkdir(parents=True, exist_ok=True)
    remove_unfinished(place.parent)
    with own_folder(unfinished) as work:
        new = work / "artifact"
        new.mkdir()
        ran = _readable(how, _run(source, how, sandbox, work, new / "files"))
        reason = _reason(how, ran) if not ran.ok else _unfit(how, new / "files")
        if reason:
            return Built(None, ran.log, reason, how.language, ran.seconds)
        artifact = Artifact(new, place.name, how.language, how.command, how.python, how.family)
        artifact.save()
        (new / "build.log").write_text(ran.log)
        _put(new, place)
        return Built(replace(artifact, path=place), ran.log, "", how.language, ran.seconds)


def remove_unfinished(store: Path) -> None:
    """Remove what builds left in `store` whose processes were killed."""
    remove_leftover_folders(store / UNFINISHED)


def _run(source: Source, how: Recipe, sandbox: Sandbox, work: Path, result: Path) -> BuildRun:
    if not how.steps:  # nothing of the author's is to be run
        result.mkdir()
        source.write(result)
        return BuildRun(True, "", 0.0)
    (work / "source").mkdir()
    source.write(work / "source")
    return sandbox.build(work / "source", how.steps, BUILD_LIMITS, BUILD_SECONDS, result, how.family)


def _readable(how: Recipe, ran: BuildRun) -> BuildRun:
    """Take programs of ours that were words of a command out of what the author reads."""
    if how.language in FORMS:
        return ran
    for step in how.steps:
        full = " ".join(step)
        short = " ".join("..." if "\n" in word else word for word in step)
        ran = replace(ran, log=ran.log.replace(full, short), reason=ran.reason.replace(full[:200], short))
    return ran


def _reason(how: Recipe, ran: BuildRun) -> str:
    lines = ran.log.strip().splitlines()
    if how.explains and lines and "exited with status" in ran.reason:
        return lines[-1]
    return Reason("The build failed: %(why)s; see the log", why=ran.reason)


def _unfit(how: Recipe, files: Path) -> str:
    """Why what a build left cannot be played, "" if it can."""
    size = sum(file.stat().st_size for file in files.rglob("*") if file.is_file())
    if size > ARTIFACT_BYTES:
        return Reason(
            "The build left %(size)s MiB of files: expected at most %(most)d MiB",
            size=f"{size / (1 << 20):.1f}",
            most=ARTIFACT_BYTES >> 20,
        )
    beside = sum(1 for _ in files.iterdir())
    if beside > TOP_LEVEL:
        return Reason(
            "The build left %(count)d files and folders at the top level: expected at most %(most)d",
            count=beside,
            most=TOP_LEVEL,
        )
    first = how.command[0]
    if "/" not in first or first.startswith("/"):
        return ""
    program = files / first
    if ".." in program.parts or not program.is_file():
        return Reason("The build left no file %(file)s, which is to be run", file=first)
    program.chmod(0o755)
    return ""


def _put(new: Path, place: Path) -> None:
    """Move a finished artifact to its place, unless another process was first."""
    try:
        os.rename(new, place)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
