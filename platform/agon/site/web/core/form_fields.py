"""Typed access to the fields of a form: `form.fields` returns all of them as plain `Field`."""

from typing import Any

from django import forms


def choice_field(form: forms.BaseForm, name: str) -> forms.ChoiceField:
    """The field `name`, which has to be a ChoiceField."""
    field = form.fields[name]
    assert isinstance(field, forms.ChoiceField)
    return field


def model_field(form: forms.BaseForm, name: str) -> "forms.ModelChoiceField[Any]":
    """The field `name`, which has to be a ModelChoiceField."""
    field = form.fields[name]
    assert isinstance(field, forms.ModelChoiceField)
    return field
