"""Renders a select with many options: Django renders three templates for each option, which takes 0.3 ms.

A list of matches offers up to 100 bots in two selects, and most of its time was spent there.
"""

from collections.abc import Mapping
from typing import Any

from django.forms.renderers import DjangoTemplates
from django.forms.utils import flatatt
from django.forms.widgets import Select
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString


class FormRenderer(DjangoTemplates):
    """Django's, with the same HTML for a select in fewer steps."""

    def render(
        self, template_name: str, context: dict[str, Any], request: HttpRequest | None = None
    ) -> SafeString:
        if template_name == Select.template_name:
            return _select(context["widget"])
        return SafeString(super().render(template_name, context, request))


def _select(widget: Mapping[str, Any]) -> SafeString:
    groups = format_html_join("", "\n  {}", ((_group(*group),) for group in widget["optgroups"]))
    return format_html('<select name="{}"{}>{}\n</select>', widget["name"], flatatt(widget["attrs"]), groups)


def _group(name: str | None, options: list[dict[str, Any]], _index: int) -> SafeString:
    lines = format_html_join(
        "\n  ",
        '<option value="{}"{}>{}</option>',
        (
            (str(option["value"]), flatatt(option["attrs"]) if option["attrs"] else "", option["label"])
            for option in options
        ),
    )
    return format_html('<optgroup label="{}">\n  {}\n  </optgroup>', name, lines) if name else lines
