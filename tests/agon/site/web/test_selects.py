"""Selects: the HTML that Django's templates make, without a template for each option."""

import pytest
from django import forms
from django.forms.renderers import DjangoTemplates, get_default_renderer
from django.test.html import parse_html
from django.utils.translation import gettext_lazy

from agon.site.web.core.form_renderer import FormRenderer

HOSTILE = "<b>\"'&"


@pytest.mark.parametrize(
    "widget",
    [
        forms.Select(choices=[("", "All"), (1, HOSTILE), (HOSTILE, gettext_lazy("Bot")), (1234567, 1234567)]),
        forms.Select(attrs={"class": HOSTILE, "required": True, "hidden": False}, choices=[("a", "A")]),
        forms.Select(choices=[]),
        forms.Select(choices=[("Group <1>", [("a", "A"), ("b", "B")]), ("c", "C"), ("Empty", [])]),
        forms.SelectMultiple(choices=[("a", "A"), ("b", "B"), ("c", "C")]),
    ],
)
@pytest.mark.parametrize("value", [None, "", "a", ["a", "c"], 1, True, HOSTILE])
def test_a_select_has_the_html_that_django_s_templates_make(widget, value):
    made, expected = (
        widget.render("na<me", value, {"id": "id_<"}, renderer)
        for renderer in (get_default_renderer(), DjangoTemplates())
    )
    assert parse_html(made) == parse_html(expected)


def test_pages_use_it():
    assert isinstance(get_default_renderer(), FormRenderer)
