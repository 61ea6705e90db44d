"""The upload form."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from agon.web.form_fields import choice_field
from bots.languages import offered
from bots.services import Refused
from sandbox.source import UPLOAD_BYTES

FILE, TEXT = "file", "text"


class SubmitForm(forms.Form):
    """A bot's name, and its program as a file or as text."""

    name = forms.CharField(
        label=_("Bot name"),
        max_length=200,  # bots.services has the better error message
        help_text=_("A new name creates a new bot; the name of one of your bots uploads its next version."),
        widget=forms.TextInput(attrs={"list": "own-bots", "autocomplete": "off", "spellcheck": "false"}),
    )
    way = forms.ChoiceField(
        choices=[(FILE, _("Upload a file")), (TEXT, _("Paste the source code"))],
        initial=FILE,
        widget=forms.RadioSelect,
    )
    file = forms.FileField(label=_("File"), required=False, max_length=255)
    language = forms.ChoiceField(label=_("Language"), required=False)
    text = forms.CharField(
        label=_("Source"),
        required=False,
        strip=False,
        widget=forms.Textarea(
            attrs={"class": "code", "rows": 18, "spellcheck": "false", "autocapitalize": "off", "wrap": "off"}
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [(language.slug, language.title) for language in offered()]
        choice_field(self, "language").choices = [("", _("Choose…")), *choices]

    def clean_file(self) -> Any:
        """Check the size before anything is read; `bots.services` checks the contents."""
        file = self.cleaned_data["file"]
        if file is not None and file.size > UPLOAD_BYTES:
            raise forms.ValidationError(
                _("This file is %(size).1f MiB; the limit is %(most)d MiB."),
                params={"size": file.size / (1 << 20), "most": UPLOAD_BYTES >> 20},
            )
        return file

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("way") == TEXT:
            if not (data.get("text") or "").strip() and "text" not in self.errors:
                self.add_error("text", _("Paste your bot's source code here."))
            if not data.get("language") and "language" not in self.errors:
                self.add_error("language", _("Choose the language of your source code."))
        elif data.get("file") is None and "file" not in self.errors:
            self.add_error("file", _("Choose your bot's file."))
        return data

    def refuse(self, refused: Refused) -> None:
        """Show an error of `bots.services` at the field that it concerns."""
        self.add_error(refused.field or None, str(refused))

    def draft(self) -> dict[str, str]:
        """What can be kept while the author signs in: everything except the file."""
        most = {"name": 200, "way": 10, "language": 40, "text": None}
        return {name: str(self.data.get(name, ""))[:length] for name, length in most.items()}
