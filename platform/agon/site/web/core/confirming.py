"""Costly acts ask first, on a page of their own, where no script has asked.

A form that is to be confirmed has a hidden field `confirm` with the question. A script asks it, and sends the
form without that field (static/js/page.js). Sent with it, the form comes from a page without scripts: the
reader gets the question, and a form with all else that was sent. Programs do not send it, and are not asked.
"""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers
from django.utils.deprecation import MiddlewareMixin

from agon.site.web.core.requests import page_before

FIELD = "confirm"
LONGEST_QUESTION = 1000  # characters
_TOKEN = "csrfmiddlewaretoken"


class Confirming(MiddlewareMixin):
    """Behind the check of the form's token, so that the question is one of this site."""

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponse], args: Any, kwargs: Any
    ) -> HttpResponse | None:
        if request.method != "POST" or getattr(view, "csrf_exempt", False):
            return None
        question = request.POST.get(FIELD, "")
        if not question or request.FILES:  # a file cannot be sent again
            return None
        fields = [
            (name, value)
            for name, values in request.POST.lists()
            if name not in (FIELD, _TOKEN)
            for value in values
        ]
        context = {"question": question[:LONGEST_QUESTION], "fields": fields, "back": page_before(request)}
        response = render(request, "confirm.html", context)
        add_never_cache_headers(response)
        return response
