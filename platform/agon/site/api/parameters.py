"""Refuses what no operation takes: parameters that it does not have, so that a typing mistake is not ignored,
and text that a database cannot hold.
"""

import functools
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _
from ninja.parser import Parser
from ninja.types import DictStrAny

from agon.site.api.problems import FieldError, Problem

Run = Callable[..., HttpResponseBase]
View = TypeVar("View", bound=Callable[..., Any])


def known_only(run: Run) -> Run:
    """A decorator of an operation's `run`. Raises Problem for other parameters or fields than it has."""
    models: list[Any] = run.__self__.models  # type: ignore[attr-defined]
    parameters = _names(models, "query")
    fields = _names(models, "form") | _names(models, "file")

    @functools.wraps(run)
    def inner(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        unknown = [name for name in request.GET if name not in parameters]
        unknown += [name for name in (*request.POST, *request.FILES) if name not in fields]
        texts = [request.path, *(text for _name, values in request.GET.lists() for text in values)]
        texts += [text for _name, values in request.POST.lists() for text in values]
        if not all(map(_can_be_stored, texts)):
            raise Problem("bad_text")
        if unknown and not getattr(run.__self__.view_func, "takes_any_fields", False):  # type: ignore[attr-defined]
            detail = _("There is no such parameter.")
            raise Problem("invalid", errors=[FieldError(name[:80], detail) for name in unknown])
        return run(request, *args, **kwargs)

    return inner


def any_fields(view: View) -> View:
    """A decorator of an operation that ignores what it does not know, as OAuth demands."""
    view.takes_any_fields = True  # type: ignore[attr-defined]
    return view


class JsonParser(Parser):
    """Parses bodies. A JSON text may contain characters that are none, and be nested without end."""

    def parse_body(self, request: HttpRequest) -> DictStrAny:
        try:
            body = super().parse_body(request)
        except RecursionError:
            raise Problem("bad_json") from None
        if not all(map(_can_be_stored, _texts(body))):
            raise Problem("bad_text")
        return body


def _texts(data: Any) -> Iterator[str]:
    """All texts in JSON data."""
    todo = [data]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            todo += [*item.keys(), *item.values()]
        elif isinstance(item, list):
            todo += item


def _can_be_stored(text: str) -> bool:
    """Whether a text has neither a null character nor half of a surrogate pair, which databases refuse."""
    return "\0" not in text and text.encode(errors="replace").decode() == text


def _names(models: list[Any], source: str) -> set[str]:
    """The names that the models of one source read."""
    matching = [model for model in models if model.__ninja_param_source__ == source]
    return {
        name
        for model in matching
        for name in getattr(model, "__ninja_flatten_map__", None) or model.model_fields
    }
