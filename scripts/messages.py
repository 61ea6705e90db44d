"""`make messages`: collect the texts of the site in locale/*/LC_MESSAGES/django.po, and compile them to .mo.

Texts to translate stand in the templates (Django's tags), in Python (gettext under its usual names, and the
`mark` of the games' stories) and in the games' manifests (summaries and what house bots do: the pages show
these through gettext too). Django's makemessages knows nothing of manifests and writes beside the templates;
so all three are laid out as Python files in a folder of their own, and GNU gettext does the rest.

A text that is gone from the sources is gone from the catalogues; one that is new or changed is left empty
there, and tests/pages/test_translations.py fails until somebody translates it.
"""

import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parent.parent
LANGUAGES = ("ja", "ru")
KEYWORDS = (
    "gettext_lazy",
    "gettext_noop",
    "ngettext_lazy:1,2",
    "pgettext:1c,2",
    "pgettext_lazy:1c,2",
    "npgettext:1c,2,3",
    "mark",
)


def main() -> None:
    if not shutil.which("xgettext"):
        sys.exit("agon: make messages needs GNU gettext (Debian's package gettext)")
    with tempfile.TemporaryDirectory() as folder:
        template = extract(Path(folder))
        for language in LANGUAGES:
            merge(template, catalogue(language), language)
            compile_catalogue(catalogue(language), catalogue(language).with_suffix(".mo"))


def catalogue(language: str) -> Path:
    return ROOT / "locale" / language / "LC_MESSAGES" / "django.po"


def extract(folder: Path) -> Path:
    """Every text to translate, as a .pot file made in the empty `folder`. Raises CalledProcessError."""
    names = []
    for name, python in sources():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(python, encoding="utf-8")
        names.append(name)
    template = folder / "django.pot"
    gettext(
        "xgettext",
        "--language=Python",
        "--from-code=UTF-8",
        "--add-location=file",
        "--package-name=Agon",
        *(f"--keyword={keyword}" for keyword in KEYWORDS),
        f"--output={template}",
        *sorted(names),
        folder=folder,
    )
    undated = [
        line for line in template.read_text("utf-8").splitlines(True) if "POT-Creation-Date" not in line
    ]
    template.write_text("".join(undated), encoding="utf-8")
    return template


def sources() -> Iterator[tuple[str, str]]:
    """Path and Python text of everything that may hold texts."""
    for path in sorted((ROOT / "templates").rglob("*.html")):
        name = str(path.relative_to(ROOT))
        yield name, templatize(path.read_text(encoding="utf-8"), origin=name)
    for top in ("platform", "games"):
        for path in sorted((ROOT / top).rglob("*.py")):
            if not path.name.startswith("test_"):
                yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "games").glob("*/game.toml")):
        yield str(path.relative_to(ROOT)), manifest_texts(tomllib.loads(path.read_text(encoding="utf-8")))


def manifest_texts(manifest: dict[str, Any]) -> str:
    texts = [manifest["summary"], *(bot["description"] for bot in manifest.get("house_bots", ()))]
    return "".join(f"_({text!r})\n" for text in texts if text)


def merge(template: Path, po: Path, language: str) -> None:
    """Bring `po` up to the texts of `template`: new ones come empty, old ones go, nothing is guessed."""
    if not po.exists():
        po.parent.mkdir(parents=True, exist_ok=True)
        gettext("msginit", "--no-translator", f"--locale={language}", f"--input={template}", f"--output={po}")
    gettext("msgmerge", "--quiet", "--update", "--backup=none", "--no-fuzzy-matching", str(po), str(template))
    gettext("msgattrib", "--no-obsolete", f"--output={po}", str(po))


def compile_catalogue(po: Path, mo: Path) -> None:
    """Raises CalledProcessError where a translation does not keep to the format of its text."""
    gettext("msgfmt", "--check-format", "--check-domain", "--statistics", f"--output={mo}", str(po))


def gettext(program: str, *words: str, folder: Path = ROOT) -> None:
    subprocess.run([program, *words], cwd=folder, check=True)


if __name__ == "__main__":
    main()
