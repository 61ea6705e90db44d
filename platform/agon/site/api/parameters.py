"""Refuses parameters and form fields that an operation does not have: a typing mistake is not ignored."""

import functools
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _

from agon.site.api.problems import FieldError, Problem

Run = Callable[..., HttpResponseBase]


def known_only(run: Run) -> Run:
    """A decorator of an operation's `run`. Raises Problem for other parameters or fields than it has."""
    models: list[Any] = run.__self__.models  # type: ignore[attr-defined]
    parameters = _names(models, "query")
    fields = _names(models, "form") | _names(models, "file")

    @functools.wraps(run)
    def inner(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        unknown = [name for name in request.GET if name not in parameters]
        unknown += [name for name in (*request.POST, *request.FILES) if name not in fields]
        if unknown:
            detail = _("There is no such parameter.")
            raise Problem("invalid", errors=[FieldError(name[:80], detail) for name in unknown])
        return run(request, *args, **kwargs)

    return inner


def _names(models: list[Any], source: str) -> set[str]:
    """The names that the models of one source read."""
    found = [model for model in models if model.__ninja_param_source__ == source]
    return {
        name
        for model in found
        for name in getattr(model, "__ninja_flatten_map__", None) or model.model_fields
    }
