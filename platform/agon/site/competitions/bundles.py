"""A competition as one zip. Exported, imported and exported again, the bytes are equal.

The zip has two files: competition.json, with all settings but the text, and text.md. With people and results
it has a third one, history.json: tables of text (past.py). It is read as what a stranger sent: names, sizes
and types are validated before anything is unpacked or used.
"""

import io
import json
import lzma
import struct
import zipfile
import zlib
from collections.abc import Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _

from agon.site.competitions.past import MOST_TABLES, BadTable, Table, to_json
from agon.site.competitions.past import from_json as table_from_json
from agon.site.competitions.settings import BadSettings, CompetitionSettings, from_json, validated

FORMAT = "agon competition"
VERSION = 1
MOST_BYTES = 8 << 20  # of the zip
SETTINGS, TEXT, HISTORY = "competition.json", "text.md", "history.json"
_MOST_BYTES = {SETTINGS: 1 << 20, TEXT: 1 << 20, HISTORY: 5 << 20}  # bytes
# What zipfile and its decoders raise for damaged bytes, such as names that are no UTF-8, and negative places.
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    ValueError,
    RuntimeError,
    EOFError,
    OSError,
)
_OLD = (1980, 1, 1, 0, 0, 0)  # the time of each file, so that equal settings are equal bytes


class Bundle(NamedTuple):
    settings: CompetitionSettings
    past: list[Table]


class BadBundle(ValueError):
    """A file that is no exported competition. str(e): what was expected, and what was got."""


def pack(settings: CompetitionSettings, past: Sequence[Table] = ()) -> bytes:
    """The zip of these settings, and of people and results. Raises BadBundle for too many of these."""
    values = settings.to_json()
    text = values.pop("text")
    document = {"format": FORMAT, "version": VERSION, "settings": values}
    files = {SETTINGS: _written(document), TEXT: text.encode()}
    if past:
        files[HISTORY] = _written({"tables": [to_json(table) for table in past]})
        if len(past) > MOST_TABLES or len(files[HISTORY]) > _MOST_BYTES[HISTORY]:
            raise BadBundle(
                _("People and results are more than %(most)d MiB.") % {"most": _MOST_BYTES[HISTORY] >> 20}
            )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name, _OLD)
            info.external_attr = 0o644 << 16
            archive.writestr(info, content)
    return packed.getvalue()


def unpack(data: bytes) -> Bundle:
    """What is in a zip that `pack` made, validated. Raises BadBundle, BadSettings."""
    if len(data) > MOST_BYTES:
        raise BadBundle(_("The file is larger than %(most)d KiB.") % {"most": MOST_BYTES >> 10})
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            files = {info.filename: info for info in archive.infolist()}
            if set(files) - {HISTORY} != {SETTINGS, TEXT} or len(files) != len(archive.infolist()):
                raise BadBundle(
                    _("Expected a zip with %(first)s and %(second)s, got: %(names)s.")
                    % {"first": SETTINGS, "second": TEXT, "names": ", ".join(sorted(files))[:200] or "–"}
                )
            document = _document(SETTINGS, _read(archive, files[SETTINGS]))
            text = _read(archive, files[TEXT])
            past = _past(_read(archive, files[HISTORY])) if HISTORY in files else []
    except BadBundle:
        raise
    except _DAMAGED as error:
        raise BadBundle(
            _("This is no zip of a competition, or it is damaged (%(why)s).") % {"why": error}
        ) from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise BadBundle(_("%(file)s is not of an exported competition.") % {"file": SETTINGS})
    if document.get("version") != VERSION:
        raise BadBundle(
            _("This file has version %(got)s; expected %(known)d.")
            % {"got": str(document.get("version"))[:20], "known": VERSION}
        )
    values = document.get("settings")
    if not isinstance(values, dict) or "text" in values:
        raise BadSettings({"settings": _("Expected an object without text.")})
    return Bundle(validated(from_json(values | {"text": text})), past)


def _past(text: str) -> list[Table]:
    document = _document(HISTORY, text)
    tables = document.get("tables") if isinstance(document, dict) and len(document) == 1 else None
    if not isinstance(tables, list) or not 1 <= len(tables) <= MOST_TABLES:
        words = _("%(file)s: expected 1 to %(most)d tables.")
        raise BadBundle(words % {"file": HISTORY, "most": MOST_TABLES})
    try:
        return [table_from_json(table) for table in tables]
    except BadTable as bad:
        raise BadBundle(f"{HISTORY}: {bad}") from None


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> str:
    """The text of a file, of which no more than a limit is unpacked."""
    most = _MOST_BYTES[info.filename]
    with archive.open(info) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise BadBundle(
            _("%(file)s is larger than %(most)d KiB.") % {"file": info.filename, "most": most >> 10}
        )
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise BadBundle(_("%(file)s is not UTF-8.") % {"file": info.filename}) from None


def _written(document: object) -> bytes:
    return (json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True) + "\n").encode()


def _document(name: str, text: str) -> object:
    try:
        document = json.loads(text)
        _written(document)  # fails for half a character, which no page can show and no database store
        return document
    except (ValueError, RecursionError) as error:
        raise BadBundle(
            _("%(file)s is not JSON (%(why)s).") % {"file": name, "why": str(error)[:100]}
        ) from None
