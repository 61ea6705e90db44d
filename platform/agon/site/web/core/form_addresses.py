"""A page where a browser opens an address that only receives forms: Django's own answer, 405, is empty.

It is opened where a form was answered on its own address, with its errors, and the page is opened anew, as by
choosing another language there.
"""

from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers
from django.utils.deprecation import MiddlewareMixin

from agon.site.web.core.requests import page_before


class FormAddresses(MiddlewareMixin):
    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        is_empty = isinstance(response, HttpResponseNotAllowed) and not response.content
        if request.method != "GET" or not is_empty or "text/html" not in request.headers.get("Accept", ""):
            return response
        before = page_before(request)
        back = "/" if urlsplit(before).path == request.path else before
        page = render(request, "405.html", {"back": back}, status=405)
        page.headers["Allow"] = response.headers["Allow"]
        add_never_cache_headers(page)
        return page
