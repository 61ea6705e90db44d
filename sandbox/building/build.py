"""From a checked source to an artifact that a box can play.

Theory of operation.

Processes:
- This one writes the source into a temporary folder inside the store. The steps of the recipe run on a *copy*
  of it, in a box that is made for this build.
- Processes that build the same thing at the same time all do the work. The first rename wins, and the other
  results are discarded.

Pipes:
- None. Files become `<store>/<key>/files/`, with `artifact.json` and `build.log` beside them, in one rename:
  an artifact is complete or does not exist.

Trust:
- Only regular files and folders come out of the box.
- The key is a digest of source, recipe, sandbox, image and versions of the tools. So the same upload is built
  once, and again when a compiler changes.

Failure:
- What the author's files and commands do is returned as `Built.reason`, a sentence for the author. A bot that
  an adapter runs must also be loadable: loading.py tries that.
- What the platform fails to do is raised as SandboxError, and the build is tried again.
- What a killed process left unfinished is removed by `remove_unfinished`, and by the next build.
"""

from __future__ import annotations

import errno
import hashlib
import os
from dataclasses import dataclass, replace
from pathlib import Path

from sandbox.api import Artifact, BuildRun, ImageMissing, Sandbox, SandboxError
from sandbox.building.adapter import Adapter, add_adapter
from sandbox.building.loading import why_unloadable
from sandbox.building.recipes import FORMS, Recipe, recipe
from sandbox.building.selftest import BUILD_LIMITS, BUILD_SECONDS, languages_in_image, state, versions
from sandbox.building.store import UNFINISHED, touch
from sandbox.file_names import BadUpload
from sandbox.languages import registry
from sandbox.leftovers import own_folder, remove_leftover_folders
from sandbox.reason import Reason
from sandbox.source import Source

ARTIFACT_BYTES = 96 << 20
TOP_LEVEL = 2048  # files and folders at the top: each takes one of the 4,096 inodes of every work folder


@dataclass(frozen=True)
class Built:
    """The result of a build. Without an `artifact`, `reason` tells the author why (a Reason).

    `log`: the output of the build. `language`: a slug, "" if unknown. `seconds`: the duration of the build, 0
    if the artifact existed already.
    """

    artifact: Artifact | None
    log: str
    reason: str
    language: str
    seconds: float = 0.0


def build(source: Source, sandbox: Sandbox, store: Path, adapter: Adapter | None = None) -> Built:
    """Build `source` in `sandbox`, unless that was done before. Raises SandboxError.

    `store`: a folder for artifacts, made if missing. `adapter`: for bots of its language.
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
        return _found(place) or _build(source, how, sandbox, place, adapter)
    except OSError as error:
        raise SandboxError(f"a build cannot use {store}: {error}") from error


def _tools(how: Recipe, sandbox: Sandbox, store: Path) -> dict[str, str] | Built:
    """The versions of the tools that the build will use; a refusal if the language does not work here."""
    if how.language in FORMS:  # it may use any tool
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


def _build(source: Source, how: Recipe, sandbox: Sandbox, place: Path, adapter: Adapter | None) -> Built:
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
        if adapter is not None and adapter.entry in how.command:
            reason, printed = why_unloadable(artifact, sandbox, adapter)
            if reason:
                return Built(None, f"{ran.log}{printed}", reason, how.language, ran.seconds)
        (new / "build.log").write_text(ran.log)
        _put(new, place)
        return Built(replace(artifact, path=place), ran.log, "", how.language, ran.seconds)


def remove_unfinished(store: Path) -> None:
    """Remove what killed processes left in `store`."""
    remove_leftover_folders(store / UNFINISHED)


def _run(source: Source, how: Recipe, sandbox: Sandbox, work: Path, result: Path) -> BuildRun:
    if not how.steps:  # nothing to run
        result.mkdir()
        source.write(result)
        return BuildRun(True, "", 0.0)
    (work / "source").mkdir()
    source.write(work / "source")
    return sandbox.build(work / "source", how.steps, BUILD_LIMITS, BUILD_SECONDS, result, how.family)


def _readable(how: Recipe, ran: BuildRun) -> BuildRun:
    """Remove our own scripts, which are words of commands, from what the author reads.

    The log shows such a command not at all: it is a check of ours, beside an adapter even of a file of ours.
    """
    if how.language in FORMS:
        return ran
    for step in how.steps:
        full = " ".join(step)
        short = " ".join("..." if "\n" in word else word for word in step)
        if short != full:
            log, reason = ran.log.replace(f"$ {full}\n", ""), ran.reason.replace(full[:200], short)
            ran = replace(ran, log=log, reason=reason)
    return ran


def _reason(how: Recipe, ran: BuildRun) -> str:
    lines = ran.log.strip().splitlines()
    if how.explains and lines and "exited with status" in ran.reason:
        return lines[-1]
    return Reason("The build failed: %(why)s; see the log", why=ran.reason)


def _unfit(how: Recipe, files: Path) -> str:
    """Why the result of a build cannot be played; "" if it can."""
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
        return Reason("The build left no file %(file)s, which is the program to run", file=first)
    program.chmod(0o755)
    return ""


def _put(new: Path, place: Path) -> None:
    """Move a finished artifact to its place, unless another process was faster."""
    try:
        os.rename(new, place)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
