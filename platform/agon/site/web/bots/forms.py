"""The upload form."""

import json
from pathlib import PurePosixPath
from typing import Any

from django import forms
from django.contrib.auth.models import AnonymousUser
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from agon.site.accounts.models import User
from agon.site.bots.languages import offered
from agon.site.bots.packing import zipped
from agon.site.bots.refusal import Refused
from agon.site.core.texts.numbers import decimal
from agon.site.web.core.form_fields import choice_field
from agon.site.web.teams.choosing import TeamField
from sandbox.source import UPLOAD_BYTES

FILE, TEXT = "file", "text"
NEW = "new"  # in the field `bot`
LONGEST_PATH = 1000  # characters


class ManyFiles(forms.FileInput):
    """Keeps the chosen files when the form comes back: a server cannot fill them in."""

    allow_multiple_selected = True

    def __init__(self) -> None:
        super().__init__({"hx-preserve": "true"})


class ManyFilesField(forms.FileField):
    """Any number of files; its value is a list."""

    widget = ManyFiles

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile]:
        return [super(ManyFilesField, self).clean(upload, initial) for upload in data or []]


class SubmitForm(forms.Form):
    """A bot's name, and its program as a file or as text."""

    name = forms.CharField(
        label=_("Bot name"),
        max_length=200,  # agon.site.bots.services has the better error message
        help_text=_("A new name creates a new bot; the name of one of your bots uploads its next version."),
        widget=forms.TextInput(attrs={"list": "own-bots", "autocomplete": "off", "spellcheck": "false"}),
    )
    way = forms.ChoiceField(
        choices=[(FILE, _("Upload a file")), (TEXT, _("Paste the source code"))],
        initial=FILE,
        widget=forms.RadioSelect,
    )
    # Of the editor, which knows the bot that its text belongs to: NEW or a key. Without it, the name decides.
    bot = forms.RegexField(rf"^({NEW}|[0-9]{{1,18}})$", required=False, widget=forms.HiddenInput)
    team = TeamField()
    file = ManyFilesField(label=_("File"), required=False, max_length=255)
    # Of the files of a folder, in order, as JSON. Like the files, it stays when the form comes back.
    paths = forms.Field(required=False, widget=forms.HiddenInput(attrs={"hx-preserve": "true"}))
    language = forms.ChoiceField(label=_("Language"), required=False)
    text = forms.CharField(
        label=_("Source"),
        required=False,
        strip=False,
        widget=forms.Textarea(
            attrs={"class": "code", "rows": 18, "spellcheck": "false", "autocapitalize": "off"}
        ),
    )

    def __init__(self, *args: Any, user: User | AnonymousUser, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        team: TeamField = self.fields["team"]  # type: ignore[assignment]
        self.in_teams = team.offer(user)
        choices = [(language.slug, language.title) for language in offered()]
        choice_field(self, "language").choices = [("", _("Choose…")), *choices]
        self.fields["name"].required = self.written_for in ("", NEW)

    @property
    def written_for(self) -> str:
        """The field `bot` as it was sent, or "": the name decides which bot it is."""
        return str(self["bot"].value() or "")

    def clean_file(self) -> list[UploadedFile]:
        """Check the size before anything is read; `agon.site.bots.services` checks the contents."""
        files: list[UploadedFile] = self.cleaned_data["file"]
        size = sum(file.size or 0 for file in files)
        if size > UPLOAD_BYTES:
            raise forms.ValidationError(
                _("This file is %(size)s MiB; the limit is %(most)d MiB."),
                params={"size": decimal(size / (1 << 20), ".1f"), "most": UPLOAD_BYTES >> 20},
            )
        return files

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("way") == TEXT:
            if not (data.get("text") or "").strip() and "text" not in self.errors:
                self.add_error("text", _("Paste your bot's source code here."))
            if not data.get("language") and "language" not in self.errors:
                self.add_error("language", _("Choose the language of your source code."))
        elif not data.get("file") and "file" not in self.errors:
            self.add_error("file", _("Choose your bot's file."))
        return data

    def upload(self) -> tuple[str, bytes]:
        """File name and contents of what was chosen; of several files, a zip. Raises Refused."""
        files: list[UploadedFile] = self.cleaned_data["file"]
        if len(files) == 1:
            return str(files[0].name), files[0].read()
        paths = self._paths([str(file.name) for file in files])
        for path in paths:
            if paths.count(path) > 1:
                raise Refused("file", _("Two of the files are called %(name)s.") % {"name": path})
        contents = {path: file.read() for path, file in zip(paths, files, strict=True)}
        return f"{self.cleaned_data['name']}.zip", zipped(contents)

    def _paths(self, names: list[str]) -> list[str]:
        """Browsers send the names of files without their folders; our script sends the paths apart."""
        try:
            paths = json.loads(self.cleaned_data.get("paths") or "[]")
        except (ValueError, RecursionError):  # not from our script
            return names
        if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
            return names
        if max(map(len, paths), default=0) > LONGEST_PATH or "\0" in "".join(paths):
            return names
        plain = [path.encode(errors="replace").decode() for path in paths]
        return plain if plain == paths and [PurePosixPath(path).name for path in paths] == names else names

    def refuse(self, refused: Refused) -> None:
        """Show an error of a service at the field that it concerns, and the name that it proposes."""
        self.add_error(refused.field or None, str(refused))
        if refused.proposal:
            # Value by value: unpacked, a QueryDict gives lists.
            self.data = {name: self.data.get(name) for name in self.data} | {"name": refused.proposal}

    def draft(self) -> dict[str, str]:
        """What can be kept while the author signs in: everything except the file.

        account: the key of the one that the form was made for, "" for a visitor without one.
        """
        most = {"name": 200, "way": 10, "bot": 20, "language": 40, "text": None, "account": 20}
        return {name: str(self.data.get(name, ""))[:length] for name, length in most.items()}
