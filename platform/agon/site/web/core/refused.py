"""What services refuse, for the reader: in the form that was sent, or as a message on the next page.

A refusal ends the `with` block. Its text is a sentence in the reader's language. It may have a `field` that
it is about, or `problems`, a sentence for each field.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from django import forms
from django.contrib import messages
from django.http import HttpRequest


@contextmanager
def in_form(form: forms.BaseForm, *kinds: type[Exception]) -> Iterator[None]:
    """Show what is refused beside the field that it is about, or above the form if that has no such field."""
    try:
        yield
    except kinds as refused:
        problems: Mapping[str, str] = getattr(refused, "problems", {}) or {
            getattr(refused, "field", ""): str(refused)
        }
        for name, why in problems.items():
            form.add_error(name if name in form.fields else None, why)


@contextmanager
def as_message(request: HttpRequest, *kinds: type[Exception]) -> Iterator[None]:
    """Show what is refused as a message."""
    try:
        yield
    except kinds as refused:
        messages.error(request, str(refused))
