"""How a source is built and run: from its bot.toml, its compile.sh and run.sh, or its language's file.

Commands from bot.toml or a script run only inside the sandbox. Here they are data: words that are never
passed to a shell on the host.
"""

import hashlib
import json
import re
import shlex
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from sandbox.building import projects, untrusted_toml
from sandbox.file_names import BadUpload, shown
from sandbox.languages import registry
from sandbox.languages.registry import Language, Words
from sandbox.source import Source, SourceFile

# In place of a language's slug: the two ways in which an archive brings its own recipe.
SCRIPTS = "scripts"
BOT_TOML = "bot_toml"
FORMS = {SCRIPTS: "compile.sh and run.sh", BOT_TOML: "bot.toml"}

_EVERYWHERE = {"bash", "python3"}  # programs that the images of all families contain
_TOML_BYTES = 16 << 10
_SCRIPT_BYTES = 256 << 10
_COMMAND_BYTES = 32 << 10  # of one command, far below the kernel's limit
_OF_SHELLS = (".sh", ".bash")
_PATH = re.compile(r"[\w./@+-]+")
_NEEDS_SHELL = re.compile(r"[\n|&;<>()$`*?\[\]#~{}!]|^\s*\w+=")


@dataclass(frozen=True)
class Recipe:
    """The commands that build a source and run the result.

    `language`: a language's slug or one of FORMS. `family`: the family of languages whose programs the
    commands can use. `python`: the entry file if the bot may be forked from a warm interpreter. `explains`:
    the last line of a failed build's log is the reason.
    """

    language: str
    title: str
    family: str
    steps: tuple[Words, ...]
    command: Words
    python: str | None = None
    explains: bool = False

    @property
    def digest(self) -> str:
        """The SHA-256 of all that decides how the source is built and run."""
        facts = [self.language, self.family, self.steps, self.command, self.python]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def recipe(source: Source) -> Recipe:
    """How to build and run `source`. Raises BadUpload."""
    result = _recipe(source)
    for words in (*result.steps, result.command):
        _check_line_ends(source, words)
    return result


def _recipe(source: Source) -> Recipe:
    toml = source.find("bot.toml")
    if toml is not None:
        return _from_toml(source, toml)
    if source.find("run.sh") is not None:
        return _from_scripts(source)
    if source.find("compile.sh") is not None:
        raise BadUpload("no_run_sh", upload=source.filename)
    language, main = registry.detect(source)
    projects.check(source, language)
    return of_language(source, language, main)


def of_language(source: Source, language: Language, main: str | None) -> Recipe:
    """The recipe of a language for these files."""
    values = {"{script}": language.script}
    if main is not None:
        path = PurePosixPath(main)
        values |= {
            "{main}": _file_word(main),
            "{stem}": path.stem,
            "{base}": _file_word(str(path.with_suffix(""))),
        }
    sources = tuple(_file_word(file.path) for file in source.files if language.owns(file.path))
    steps = tuple(_fill_in(command, values, sources) for command in language.build)
    for step in steps:
        if sum(len(word.encode()) + 1 for word in step) > _COMMAND_BYTES:
            raise BadUpload(
                "too_many_sources", upload=source.filename, count=len(sources), language=language.title
            )
    run = _fill_in(language.run, values, sources)
    return Recipe(
        language.slug,
        language.title,
        language.family,
        steps,
        run,
        main if language.warm else None,
        language.explains,
    )


def _fill_in(command: Words, values: dict[str, str], sources: Words) -> Words:
    """`command` with its placeholders replaced; {sources} becomes several words."""
    words: list[str] = []
    for word in command:
        if word == "{sources}":
            words += sources
        else:
            words.append(
                re.sub(r"\{\w+\}", lambda placeholder: values.get(placeholder[0], placeholder[0]), word)
            )
    return tuple(words)


def _file_word(path: str) -> str:
    """A file's name as a word of a command. Compilers take @name for a file of options."""
    return f"./{path}" if path.startswith("@") else path


def _from_scripts(source: Source) -> Recipe:
    scripts = [file for file in map(source.find, ("compile.sh", "run.sh")) if file is not None]
    for file in scripts:
        _check_size(file, _SCRIPT_BYTES)
    *steps, command = [_script_command(file) for file in scripts]
    family = _family(source, "\n".join(file.data.decode("utf-8", "replace") for file in scripts))
    return Recipe(SCRIPTS, FORMS[SCRIPTS], family, tuple(steps), command)


def _script_command(file: SourceFile) -> Words:
    return (f"./{file.path}",) if file.data.startswith(b"#!") else ("bash", file.path)


def _check_line_ends(source: Source, words: Words) -> None:
    """Refuse a command that runs a script with the line ends of Windows.

    A shell takes a CR for a part of its command, and the kernel for a part of the program's name after #!.
    """
    for word in _PATH.findall(" ".join(words)):
        file = source.find(word.removeprefix("./"))
        if file is None or b"\r" not in file.data.split(b"\n", 1)[0]:
            continue
        if file.path.endswith(_OF_SHELLS) or (word.startswith("./") and file.data.startswith(b"#!")):
            raise BadUpload("windows_line_ends", name=file.path)


def _family(source: Source, commands: str) -> str:
    """The family of languages that an archive's own commands need.

    The family of the language that the author chose; otherwise the family with most of the programs that the
    commands name; on a tie the one that most files are written in; on a further tie the core.
    """
    if source.language is not None:
        return registry.get(source.language).family
    words = set(re.findall(r"[\w.+-]+", re.sub(r"(?m)(^|\s)#.*$", "", commands))) - _EVERYWHERE
    paths = [file.path for file in source.files if not file.path.endswith(".sh")]

    def fitness(family: str) -> tuple[int, int]:
        languages = [language for language in registry.all_languages() if language.family == family]
        named = words & {program for language in languages for program in language.programs}
        owned = [
            path
            for path in paths
            for language in languages
            if language.owns(path) and not language.only_chosen
        ]
        return len(named), len(owned)

    return max(registry.families(), key=fitness)


def _from_toml(source: Source, file: SourceFile) -> Recipe:
    facts = _parse_toml(file)
    unknown = sorted(set(facts) - {"build", "run"})
    if unknown:
        raise BadUpload("toml_unknown_keys", got=", ".join(map(shown, unknown)))
    if "run" not in facts:
        raise BadUpload("toml_no_run")
    steps = (_command("build", facts["build"], arguments=False),) if "build" in facts else ()
    command = _command("run", facts["run"], arguments=True)
    python = command[1] if len(command) == 2 and command[0] == "python3" and source.find(command[1]) else None
    family = _family(source, "\n".join(" ".join(words) for words in (*steps, command)))
    return Recipe(BOT_TOML, FORMS[BOT_TOML], family, steps, command, python)


def _check_size(file: SourceFile, most: int) -> None:
    """Refuse a file that is too long. It is parsed outside the sandbox, where that must not take long."""
    if len(file.data) > most:
        raise BadUpload("file_too_large", name=file.path, most=most >> 10, got=len(file.data))


def _parse_toml(file: SourceFile) -> dict[str, Any]:
    _check_size(file, _TOML_BYTES)
    try:
        return untrusted_toml.parse(file.data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadUpload("toml_not_utf8", place=error.start) from None
    except ValueError as error:
        raise BadUpload("toml_invalid", why=str(error)) from None
    except RecursionError:
        raise BadUpload("toml_too_deep") from None


def _command(key: str, value: Any, arguments: bool) -> Words:
    """A command as written by its author: a list of words, or a line of shell.

    A line without characters that are special to a shell is split into words here, which saves a process at
    every start. `arguments`: words will be appended, and must reach the program.
    """
    if isinstance(value, list):
        if not value or not all(isinstance(word, str) and word for word in value):
            raise BadUpload("toml_no_words", key=key, got=_abbreviate(value))
        return _check_words(key, tuple(value))
    if not isinstance(value, str) or not value.strip():
        raise BadUpload("toml_no_command", key=key, got=_abbreviate(value))
    if not _NEEDS_SHELL.search(value):
        try:
            return _check_words(key, tuple(shlex.split(value)))
        except ValueError as error:
            raise BadUpload("toml_bad_command", key=key, got=_abbreviate(value), why=str(error)) from None
    script = value.strip() + (' "$@"' if arguments and "$@" not in value else "")
    return _check_words(key, ("sh", "-e", "-c", script, "sh"))


def _check_words(key: str, words: Words) -> Words:
    if not words or any("\0" in word for word in words):
        raise BadUpload("toml_nul", key=key)
    if sum(len(word.encode()) + 1 for word in words) > _COMMAND_BYTES:
        raise BadUpload("toml_long_command", key=key, most=_COMMAND_BYTES >> 10)
    return words


def _abbreviate(value: object) -> str:
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # nested too deeply, or a number of too many digits
        text = f"too large a value ({type(value).__name__})"
    return text if len(text) <= 60 else f"{text[:60]}..."
