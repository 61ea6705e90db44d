"""The known languages, and detection of the language of a source."""

import hashlib
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from sandbox.api import CORE
from sandbox.file_names import BadUpload, shown
from sandbox.reason import Reason, Value
from sandbox.source import Source

Words = tuple[str, ...]

MAIN_STEMS = ("bot", "main", "player")
_HOW_TO_NAME_MAIN = Reason("how_to_name_main")
_HOW_TO_CHOOSE_MAIN = Reason("how_to_choose_main")


@dataclass(frozen=True)
class Language:
    """One language. sandbox/languages/__init__.py explains the fields; `digest` changes with the file."""

    slug: str
    title: str
    family: str
    extensions: Words
    package: str
    version: Words
    build: tuple[Words, ...]
    run: Words
    selftest: str
    digest: str
    warm: bool = False
    explains: bool = False
    only_chosen: bool = False
    class_pattern: str | None = None
    script: str = ""

    @property
    def needs_main(self) -> bool:
        words = [word for command in (*self.build, self.run) for word in command]
        return any(placeholder in word for word in words for placeholder in ("{main}", "{stem}", "{base}"))

    @property
    def programs(self) -> Words:
        """The programs that belong to this language: those that its commands begin with."""
        first = {command[0] for command in (self.version, *self.build, self.run)}
        return tuple(sorted(first - {"env", "sh", "./bot"}))

    def owns(self, path: str) -> bool:
        """Whether a file is in this language, by its extension."""
        return PurePosixPath(path).suffix.lower() in self.extensions

    def file_name(self, text: str) -> str:
        """The file name for a pasted program, which has none."""
        named = re.search(self.class_pattern, text) if self.class_pattern else None
        return (named[1] if named else "bot") + self.extensions[0]


@cache
def all_languages() -> tuple[Language, ...]:
    """Every language that has a file here, by title, whether or not this machine can run it."""
    folder = Path(__file__).parent
    return tuple(
        sorted(map(_load_language, folder.glob("*.toml")), key=lambda language: language.title.lower())
    )


@cache
def families() -> Words:
    """The families of languages: the core first, then the others by name."""
    return tuple(
        sorted({language.family for language in all_languages()}, key=lambda name: (name != CORE, name))
    )


def get(slug: str) -> Language:
    """The language called `slug`. Raises BadUpload."""
    by_slug = {language.slug: language for language in all_languages()}
    if slug not in by_slug:
        raise BadUpload("unknown_language", got=shown(slug), known=", ".join(by_slug))
    return by_slug[slug]


@cache
def extensions() -> Words:
    """The file extensions of all languages."""
    return tuple(sorted({ext for language in all_languages() for ext in language.extensions}))


def detect(source: Source) -> tuple[Language, str | None]:
    """Detect the language and the main file (None if the language needs none) from the file names.

    Only the source files of the topmost folder that has any are considered. The main file is named bot, main
    or player (in this order of precedence) or like the upload itself, or is the only one of its language.
    Raises BadUpload.
    """
    candidates = _candidates(source)
    stems = (*MAIN_STEMS, source.filename.split(".")[0].lower())
    named = {language: mains for language, mains in candidates.items() if _find_by_stem(stems, mains)}
    left = named or candidates
    if len(left) > 1:
        listed = "; ".join(f"{language.title}: {_list_names(paths)}" for language, paths in left.items())
        how = _HOW_TO_CHOOSE_MAIN if named else _HOW_TO_NAME_MAIN
        raise BadUpload("several_languages", upload=source.filename, found=listed, how=how)
    [(language, paths)] = left.items()
    if not language.needs_main:
        return language, None
    main = _find_by_stem(stems, paths) or (paths[0] if len(paths) == 1 else None)
    if main is None:
        raise BadUpload(
            "several_programs",
            upload=source.filename,
            language=language.title,
            found=_list_names(paths),
            how=_HOW_TO_NAME_MAIN,
        )
    return language, main


def _candidates(source: Source) -> dict[Language, list[str]]:
    if source.language is not None:
        chosen = get(source.language)
        languages = {chosen: _topmost([file.path for file in source.files if chosen.owns(file.path)])}
        expected: Value = f"{chosen.title} ({', '.join(chosen.extensions)})"
    else:
        detected = [language for language in all_languages() if not language.only_chosen]
        nearest = _topmost(
            [f.path for f in source.files if any(language.owns(f.path) for language in detected)]
        )
        languages = {language: [path for path in nearest if language.owns(path)] for language in detected}
        expected = Reason("known_or_run_sh", known=", ".join(extensions()))
    languages = {language: paths for language, paths in languages.items() if paths}
    if not languages:
        listed = _list_names([file.path for file in source.files])
        raise BadUpload("no_known_source", upload=source.filename, found=listed, expected=expected)
    return languages


def _topmost(paths: list[str]) -> list[str]:
    depth = min((path.count("/") for path in paths), default=0)
    return [path for path in paths if path.count("/") == depth]


def _find_by_stem(stems: Words, paths: list[str]) -> str | None:
    named = ((stem, path) for stem in stems for path in paths)
    return next((path for stem, path in named if PurePosixPath(path).stem.lower() == stem), None)


def _list_names(paths: list[str]) -> str:
    shown_paths = ", ".join(shown(path) for path in paths[:5])
    return shown_paths + (f" and {len(paths) - 5} more" if len(paths) > 5 else "")


def _load_language(file: Path) -> Language:
    text = file.read_text()
    facts: dict[str, Any] = tomllib.loads(text)
    script = (file.parent / facts["script"]).read_text() if "script" in facts else ""
    facts |= {
        "extensions": tuple(facts["extensions"]),
        "version": tuple(facts["version"]),
        "build": tuple(tuple(command) for command in facts["build"]),
        "run": tuple(facts["run"]),
        "script": script,
        "digest": hashlib.sha256(f"{text}\0{script}".encode()).hexdigest(),
    }
    return Language(**facts)
