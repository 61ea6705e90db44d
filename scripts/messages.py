"""`make messages`: collects the texts to translate in catalogs (django.po), and compiles them (django.mo).

The site's catalogs are in locale/<language>/LC_MESSAGES/, a game's in
games/<slug>/locale/<language>/LC_MESSAGES/. A game has a catalog for each language in which it has rules.

Texts are found in templates (Django's tags), in Python (gettext under its usual names, `mark` in games and
in tables of reasons), and in the games' manifests (summaries, and descriptions and mottoes of house bots,
which pages pass through gettext). Django's makemessages does not read manifests, and writes temporary files
into the template folders. So all three are written as Python files to a temporary folder, and GNU gettext
does the rest.

A text that is no longer in the sources is removed from the catalogs. A new or changed one has an empty
translation, and tests/agon/site/web/test_translations.py fails until it is translated.
"""

import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parent.parent
LANGUAGES = ("ja", "ru")
KEYWORDS: tuple[str, ...] = ("gettext_lazy", "gettext_noop", "mark", "ngettext_lazy:1,2", "pgettext:1c,2")
KEYWORDS += ("pgettext_lazy:1c,2", "npgettext:1c,2,3")


class Component(NamedTuple):
    """The site or one game: each has its own catalogs. `folder` holds its sources and its `locale`."""

    name: str
    folder: Path
    languages: tuple[str, ...]

    def catalog(self, language: str) -> Path:
        return self.folder / "locale" / language / "LC_MESSAGES" / "django.po"


def main() -> None:
    if not shutil.which("xgettext"):
        sys.exit("agon: make messages needs GNU gettext (Debian's package gettext)")
    for component in components():
        with tempfile.TemporaryDirectory() as folder:
            template = extract(component, Path(folder))
            for language in component.languages:
                po = component.catalog(language)
                print(f"{po.relative_to(ROOT)}: ", end="", file=sys.stderr, flush=True)
                merge(template, po, language)
                compile_catalog(po, po.with_suffix(".mo"))


def components() -> list[Component]:
    games = [manifest.parent for manifest in sorted((ROOT / "games").glob("*/game.toml"))]
    return [
        Component("site", ROOT, LANGUAGES),
        *(Component(game.name, game, languages_of(game)) for game in games),
    ]


def languages_of(game: Path) -> tuple[str, ...]:
    return tuple(
        language
        for language in LANGUAGES
        if (game / f"rules.{language}.md").exists() or (game / "locale" / language).exists()
    )


def extract(component: Component, folder: Path) -> Path:
    """Write every text to translate to a .pot file in the empty `folder`; returns its path.

    Raises CalledProcessError.
    """
    names = []
    sources = site_sources() if component.name == "site" else game_sources(component.folder)
    for name, python in sources:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(python, encoding="utf-8")
        names.append(name)
    template = folder / "django.pot"
    gettext(
        "xgettext",
        *("--language=Python", "--from-code=UTF-8", "--add-location=file", "--package-name=Agon"),
        *(f"--keyword={keyword}" for keyword in KEYWORDS),
        f"--output={template}",
        *sorted(names),
        folder=folder,
    )
    text = template.read_text(encoding="utf-8").replace("charset=CHARSET", "charset=UTF-8")
    lines = [line for line in text.splitlines(keepends=True) if "POT-Creation-Date" not in line]
    template.write_text("".join(lines), encoding="utf-8")
    return template


def site_sources() -> Iterator[tuple[str, str]]:
    """(path, Python source) of every file of the site that may contain texts."""
    templates = (ROOT / "templates").rglob("*")
    for path in sorted(path for path in templates if path.suffix in (".html", ".txt")):  # mails are texts
        name = str(path.relative_to(ROOT))
        yield name, templatize(path.read_text(encoding="utf-8"), origin=name)
    parts = ("platform", "sandbox", "games/core")
    for path in sorted(path for part in parts for path in (ROOT / part).rglob("*.py")):
        yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")


def game_sources(game: Path) -> Iterator[tuple[str, str]]:
    """(path, Python source) of a game's files, except for its bots: what they print is not shown on pages."""
    for path in sorted(game.glob("*.py")):
        yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")
    manifest = game / "game.toml"
    yield str(manifest.relative_to(ROOT)), manifest_texts(tomllib.loads(manifest.read_text(encoding="utf-8")))


def manifest_texts(manifest: dict[str, Any]) -> str:
    bots = manifest.get("house_bots", ())
    texts = [manifest["summary"], manifest.get("places")]
    texts += [bot.get(field) for bot in bots for field in ("description", "motto")]
    return "".join(f"_({text!r})\n" for text in texts if text)


def merge(template: Path, po: Path, language: str) -> None:
    """Update `po` from `template`: new texts get empty translations, none fuzzy; old texts are removed."""
    if not po.exists():
        po.parent.mkdir(parents=True, exist_ok=True)
        gettext("msginit", "--no-translator", f"--locale={language}", f"--input={template}", f"--output={po}")
    gettext("msgmerge", "--quiet", "--update", "--backup=none", "--no-fuzzy-matching", str(po), str(template))
    gettext("msgattrib", "--no-obsolete", f"--output={po}", str(po))


def compile_catalog(po: Path, mo: Path) -> None:
    """Raises CalledProcessError if the placeholders of a translation differ from those of its text."""
    gettext("msgfmt", "--check-format", "--check-domain", "--statistics", f"--output={mo}", str(po))


def gettext(program: str, *words: str, folder: Path = ROOT) -> None:
    subprocess.run([program, *words], cwd=folder, check=True)


if __name__ == "__main__":
    main()
