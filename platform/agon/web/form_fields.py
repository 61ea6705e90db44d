"""The fields of a form by their types: `form.fields` knows them as plain fields."""

from typing import Any

from django import forms


def choice_field(form: forms.BaseForm, name: str) -> forms.ChoiceField:
    field = form.fields[name]
    assert isinstance(field, forms.ChoiceField)
    return field


def model_field(form: forms.BaseForm, name: str) -> "forms.ModelChoiceField[Any]":
    field = form.fields[name]
    assert isinstance(field, forms.ModelChoiceField)
    return field
