"""From a checked source to an artifact that a box can play.

Theory of operation.

Processes:
- The calling process writes the source into a temporary folder inside the store. The steps of the recipe run
  on a *copy* of it, in a box that is made for this build.
- Processes that build the same thing at the same time all do the work. The first rename wins, and the other
  results are discarded.

Pipes:
- None. Files become `<store>/<key>/files/`, with `artifact.json` and `build.log` beside them, in one rename:
  an artifact is complete or does not exist.

Trust:
- Only regular files and folders come out of the box.
- The key is a digest of source, recipe, sandbox, image and versions of the tools. So an upload is built only
  once, and again when a compiler changes.

Failure:
- What the author's files and commands do is returned as `Built.reason`, a sentence for the author. A bot that
  an adapter runs must also be loadable: loading.py tries that.
- What the platform fails to do is raised as SandboxError, and the build is tried again.
- What a killed process left unfinished is removed by `remove_unfinished`, and by the next build.
"""

import errno
import hashlib
import os
import re
from dataclasses import dataclass, replace
from pathlib import Path

from sandbox.api import Artifact, BuildRun, LanguageMissing, Sandbox, SandboxError
from sandbox.building import projects, recipes, selftest
from sandbox.building.adapter import Adapter, add_adapter
from sandbox.building.loading import why_unloadable, with_advice
from sandbox.building.recipes import FORMS, Recipe
from sandbox.building.selftest import BUILD_LIMITS, BUILD_SECONDS, languages_in_image, state, versions
from sandbox.building.store import UNFINISHED, touch
from sandbox.file_names import BadUpload
from sandbox.languages import registry
from sandbox.leftovers import own_folder, remove_leftover_folders
from sandbox.reason import NO_REASON, Reason, Value
from sandbox.reason_texts import english
from sandbox.source import Source

ARTIFACT_BYTES = 96 << 20
TOP_LEVEL = 2048  # files and folders at the top: each takes one of the 4,096 inodes of every work folder

# What pip, npm, cargo, go, maven and others print where they look for something on the network.
_MISSED_NETWORK = re.compile(
    "[Nn]ame resolution|Name or service not known|Failed to establish a new connection|"
    r"No module named pip\b|"
    "EAI_AGAIN|ENOTFOUND|[Cc]ould(?: not|n't) resolve host|[Nn]etwork is unreachable|GOPROXY=off|"
    "missing go.sum entry|no required module provides package|dial tcp|UnknownHostException|"
    "Could not transfer artifact|Unknown host"
)


@dataclass(frozen=True)
class Built:
    """The result of a build. Without an `artifact`, `reason` says why, for the author.

    `log`: the output of the build. `language`: a slug, "" if unknown. `seconds`: the duration of the build, 0
    if the artifact existed already.
    """

    artifact: Artifact | None
    log: str
    reason: Reason
    language: str
    seconds: float = 0.0


def build(source: Source, sandbox: Sandbox, store: Path, adapter: Adapter | None = None) -> Built:
    """Build `source` in `sandbox`, unless that was done before. Raises SandboxError.

    `store`: a folder for artifacts, made if missing. `adapter`: for bots of its language.
    """
    try:
        recipe = recipes.recipe(source)
        if adapter is not None:
            source, recipe = add_adapter(adapter, source, recipe)
    except BadUpload as error:
        return Built(None, "", error.reason, "")
    try:
        store.mkdir(mode=0o700, parents=True, exist_ok=True)
        tools = _tool_versions(recipe, sandbox, store)
        if isinstance(tools, Built):
            return tools
        place = store / _key(source, recipe, sandbox, tools)
        return _find_existing(place) or _build(source, recipe, sandbox, place, adapter)
    except OSError as error:
        raise SandboxError(f"a build cannot use {store}: {error}") from error


def _tool_versions(recipe: Recipe, sandbox: Sandbox, store: Path) -> dict[str, str] | Built:
    """The versions of the tools that the build will use; a refusal if the language does not work here."""
    if recipe.language in FORMS:  # it may use any tool
        try:
            return versions(sandbox, languages_in_image(sandbox, recipe.family))
        except LanguageMissing as missing:
            return _refuse_language(recipe, str(missing))
    language = registry.get(recipe.language)
    language_state = state(language, sandbox, store)
    if not language_state.works:
        return _refuse_language(recipe, language_state.problem)
    return {recipe.language: language_state.version}


def _refuse_language(recipe: Recipe, why: str) -> Built:
    reason = Reason("language_not_offered", language=recipe.title, why=why)
    return Built(None, "", reason, recipe.language)


def _removed_language(recipe: Recipe, run: BuildRun, sandbox: Sandbox, store: Path) -> Built | None:
    """A refusal of the language if it worked here before, and a program of it could not be started."""
    if recipe.language in FORMS or not run.reason.has("step_not_started"):
        return None
    selftest.forget(registry.get(recipe.language), sandbox)
    tools = _tool_versions(recipe, sandbox, store)
    return tools if isinstance(tools, Built) else None


def _key(source: Source, recipe: Recipe, sandbox: Sandbox, tools: dict[str, str]) -> str:
    parts = [source.digest, recipe.digest, sandbox.name, sandbox.image(recipe.family)]
    parts += (f"{slug} {tools[slug]}" for slug in sorted(tools))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _find_existing(place: Path) -> Built | None:
    if not (place / "artifact.json").exists():
        return None
    artifact = Artifact.load(place)
    touch(place)
    return Built(artifact, (place / "build.log").read_text(encoding="utf-8"), NO_REASON, artifact.language)


def _build(source: Source, recipe: Recipe, sandbox: Sandbox, place: Path, adapter: Adapter | None) -> Built:
    unfinished = place.parent / UNFINISHED
    unfinished.mkdir(parents=True, exist_ok=True)
    remove_unfinished(place.parent)
    with own_folder(unfinished) as work:
        new = work / "artifact"
        new.mkdir()
        run = _without_own_scripts(recipe, _run_steps(source, recipe, sandbox, work, new / "files"))
        run = replace(run, log=_note(source, recipe) + run.log)
        if not run.ok:
            return _removed_language(recipe, run, sandbox, place.parent) or _failed(recipe, run)
        if reason := _why_unfit(recipe, new / "files"):
            return Built(None, run.log, reason, recipe.language, run.seconds)
        artifact = Artifact(new, place.name, recipe.language, recipe.command, recipe.python, recipe.family)
        artifact.save()
        if adapter is not None and adapter.entry in recipe.command:
            reason, printed = why_unloadable(artifact, sandbox, adapter)
            if reason:
                reason = with_advice(reason, source, recipe.command[-1])
                return Built(None, f"{run.log}{printed}", reason, recipe.language, run.seconds)
        (new / "build.log").write_text(run.log, encoding="utf-8")
        _publish(new, place)
        return Built(replace(artifact, path=place), run.log, NO_REASON, recipe.language, run.seconds)


def remove_unfinished(store: Path) -> None:
    """Remove what killed processes left in `store`."""
    remove_leftover_folders(store / UNFINISHED)


def _run_steps(source: Source, recipe: Recipe, sandbox: Sandbox, work: Path, result: Path) -> BuildRun:
    if not recipe.steps:  # nothing to run
        result.mkdir()
        source.write(result)
        return BuildRun(True, "", 0.0)
    (work / "source").mkdir()
    source.write(work / "source")
    return sandbox.build(work / "source", recipe.steps, BUILD_LIMITS, BUILD_SECONDS, result, recipe.family)


def _note(source: Source, recipe: Recipe) -> str:
    """What the author should know before the output of the steps."""
    return "" if recipe.language in FORMS else projects.note(source, registry.get(recipe.language))


def _without_own_scripts(recipe: Recipe, run: BuildRun) -> BuildRun:
    """Remove our own scripts, which are words of commands, from what the author reads.

    The log omits such a command: it only checks files, and beside an adapter even a file of ours.
    """
    if recipe.language in FORMS:
        return run
    for step in recipe.steps:
        full = " ".join(step)
        short = " ".join("..." if "\n" in word else word for word in step)
        if short != full:
            log, reason = run.log.replace(f"$ {full}\n", ""), _abridged(run.reason, full[:200], short)
            run = replace(run, log=log, reason=reason)
    return run


def _abridged(reason: Reason, full: str, short: str) -> Reason:
    return reason.map(lambda text: text.replace(full, short))


def _failed(recipe: Recipe, run: BuildRun) -> Built:
    """What became of a build whose steps failed. In its log a sentence replaces the fields of a check."""
    code = "build_without_network" if _MISSED_NETWORK.search(run.log) else "build_failed"
    log, reason = run.log, Reason(code, why=run.reason)
    lines = run.log.strip().splitlines()
    if recipe.explains and lines and run.reason.has("exited"):
        reason = explained(lines[-1])
        log = "\n".join([*lines[:-1], english(reason), ""])
    return Built(None, log, reason, recipe.language, run.seconds)


def explained(line: str) -> Reason:
    """The reason that the last line of such a build's log gives.

    Its fields: a file, the number of a line, what the compiler said, the line itself, and for a line of
    Python 2 the version of Python that runs here.
    """
    match line.split("\t"):
        case [file, number, said, code, *ours] if number.isdecimal() and len(number) < 7:
            problem: Value = f"{said}: {code}" if code else said
            if ours:
                problem = Reason("python_2_name", name=code, ours=ours[0])
            return Reason("at_line", file=file, line=int(number), problem=problem, said=said)
    return Reason("text", text=line)


def _why_unfit(recipe: Recipe, files: Path) -> Reason:
    """Why the result of a build cannot be played; NO_REASON if it can."""
    size = sum(file.stat().st_size for file in files.rglob("*") if file.is_file())
    if size > ARTIFACT_BYTES:
        return Reason("build_too_large", size=round(size / (1 << 20), 1), most=ARTIFACT_BYTES >> 20)
    top_level = sum(1 for _ in files.iterdir())
    if top_level > TOP_LEVEL:
        return Reason("build_too_many_entries", count=top_level, most=TOP_LEVEL)
    first = recipe.command[0]
    if "/" not in first or first.startswith("/"):
        return NO_REASON
    program = files / first
    if ".." in program.parts or not program.is_file():
        return Reason("build_left_no_program", file=first)
    program.chmod(0o755)
    return NO_REASON


def _publish(new: Path, place: Path) -> None:
    """Move a finished artifact to its place, unless another process was faster."""
    try:
        os.rename(new, place)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
