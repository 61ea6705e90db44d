"""A competition's settings and text as one zip. Exported, imported and exported again, the bytes are equal.

The zip has two files: competition.json, with everything but the text, and text.md. It is read as what a
stranger sent: names, sizes and types are checked before anything is unpacked or used.
"""

import io
import json
import zipfile
import zlib

from django.utils.translation import gettext as _

from agon.site.competitions.settings import BadSettings, CompetitionSettings, checked, from_json

FORMAT = "agon competition"
VERSION = 1
MOST_BYTES = 1 << 20  # of the zip, and of each of its files
SETTINGS, TEXT = "competition.json", "text.md"
_OLD = (1980, 1, 1, 0, 0, 0)  # the time of each file, so that equal settings are equal bytes


class BadBundle(ValueError):
    """A file that is no exported competition. str(e): what was expected, and what was got."""


def pack(settings: CompetitionSettings) -> bytes:
    """The zip of these settings."""
    values = settings.to_json()
    text = values.pop("text")
    document = {"format": FORMAT, "version": VERSION, "settings": values}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in (
            (SETTINGS, json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True) + "\n"),
            (TEXT, text),
        ):
            info = zipfile.ZipInfo(name, _OLD)
            info.external_attr = 0o644 << 16
            archive.writestr(info, content.encode())
    return packed.getvalue()


def unpack(data: bytes) -> CompetitionSettings:
    """The checked settings in a zip that `pack` made. Raises BadBundle, BadSettings."""
    if len(data) > MOST_BYTES:
        raise BadBundle(_("The file is larger than %(most)d KiB.") % {"most": MOST_BYTES >> 10})
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            files = {info.filename: info for info in archive.infolist()}
            if set(files) != {SETTINGS, TEXT} or len(files) != len(archive.infolist()):
                raise BadBundle(
                    _("Expected a zip with %(first)s and %(second)s, got: %(names)s.")
                    % {"first": SETTINGS, "second": TEXT, "names": ", ".join(sorted(files))[:200] or "–"}
                )
            document = _document(_read(archive, files[SETTINGS]))
            text = _read(archive, files[TEXT])
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError) as error:
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
    return checked(from_json(values | {"text": text}))


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> str:
    """The text of a file, of which no more than MOST_BYTES are unpacked."""
    with archive.open(info) as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise BadBundle(
            _("%(file)s is larger than %(most)d KiB.") % {"file": info.filename, "most": MOST_BYTES >> 10}
        )
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise BadBundle(_("%(file)s is not UTF-8.") % {"file": info.filename}) from None


def _document(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadBundle(
            _("%(file)s is not JSON (%(why)s).") % {"file": SETTINGS, "why": str(error)[:100]}
        ) from None
