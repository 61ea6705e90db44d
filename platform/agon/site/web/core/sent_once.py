"""A form that is sent twice is acted on once: the second gets the first one's answer.

People press twice, browsers try again, and an answer may get lost on its way. Every POST form carries a token
whose first half is random for each page (Django's mask of the CSRF secret; static/js/page.js keeps it where
it renews the secret). The same contents under the same token, from the same browser, are the same form.

- While the first is acted on, others wait for its answer. It is stored with its cookies, because the browser
  may have given up the first request: a sign-up that is sent twice signs in by either answer.
- The key holds the browser's CSRF cookie, so no browser gets an answer to another browser's form.
- A form that was refused or has failed is acted on again.
- A request without a token of this kind, as programs send, is none of this.

It is outside of the session's middleware, which sets a cookie, and therefore parses the form before others
do. An error in that is raised where Django would have raised it, when the reader's language is known.
"""

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Callable
from typing import Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction, sync_to_async
from django.conf import settings
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.middleware.csrf import CSRF_SECRET_LENGTH, CSRF_TOKEN_LENGTH

from agon.site.accounts import sent_forms
from agon.site.accounts.models import SentForm

PAUSE = 0.05  # seconds between two looks at whether the first one has been answered
MOST_BYTES = 256 << 10  # of an answer that is kept
FORMS = {"application/x-www-form-urlencoded", "multipart/form-data"}
TOKEN = "csrfmiddlewaretoken"
_ERROR = "_error_in_form"


class SentOnce:
    """Acts on a form once, and answers the same form again from what was stored."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> Any:
        if iscoroutinefunction(self):
            return self._respond(request)
        key = _key(request)
        if key is None:
            return self.get_response(request)
        while not isinstance(result := _claim_or_answer(key), (SentForm, HttpResponse)):
            time.sleep(PAUSE)
        if isinstance(result, HttpResponse):
            return result
        response: HttpResponse = self.get_response(request)
        _keep(result, response)
        return response

    async def _respond(self, request: HttpRequest) -> HttpResponse:
        respond: Callable[[HttpRequest], Awaitable[HttpResponse]] = self.get_response
        key = await sync_to_async(_key)(request) if _may_be_form(request) else None
        if key is None:
            return await respond(request)
        while not isinstance(sent := await sync_to_async(_claim_or_answer)(key), (SentForm, HttpResponse)):
            await asyncio.sleep(PAUSE)
        if isinstance(sent, HttpResponse):
            return sent
        response = await respond(request)
        await sync_to_async(_keep)(sent, response)
        return response

    def process_view(self, request: HttpRequest, *view: Any) -> None:
        error: Exception | None = getattr(request, _ERROR, None)
        if error is not None:
            raise error


def _may_be_form(request: HttpRequest) -> bool:
    return (
        request.method == "POST"
        and request.content_type in FORMS
        and settings.CSRF_COOKIE_NAME in request.COOKIES
    )


def _key(request: HttpRequest) -> str | None:
    """The digest of a form's page, browser, address and contents; None if it has no token."""
    if not _may_be_form(request):
        return None
    try:
        token = request.POST.get(TOKEN, "")
    except UnreadablePostError:  # the reader has left
        return None
    except Exception as error:
        setattr(request, _ERROR, error)
        return None
    if len(token) != CSRF_TOKEN_LENGTH:
        return None
    digest = hashlib.sha256()
    for part in (
        token[:CSRF_SECRET_LENGTH],
        request.COOKIES[settings.CSRF_COOKIE_NAME],
        request.get_full_path(),
        request.headers.get("HX-Request", ""),
        *(text for name, values in request.POST.lists() if name != TOKEN for text in (name, *values, "")),
    ):
        _add(digest, part.encode(errors="surrogatepass"))
    for name, files in request.FILES.lists():
        for file in files:
            _add(digest, name.encode(errors="surrogatepass"))
            _add(digest, str(file.name).encode(errors="surrogatepass"))
            _add(digest, hashlib.file_digest(file, "sha256").digest())
            file.seek(0)
    return digest.hexdigest()


def _add(digest: Any, part: bytes) -> None:
    """With its length, so that no two lists of parts are the same bytes."""
    digest.update(len(part).to_bytes(8))
    digest.update(part)


def _claim_or_answer(key: str) -> SentForm | HttpResponse | None:
    """The form, to be acted on; or the answer that it had; None while another request acts on it."""
    claimed = sent_forms.claim(key)
    if claimed is not None:
        return claimed
    answer = sent_forms.answer_of(key)
    return _response(answer) if answer is not None else None


def _keep(form: SentForm, response: HttpResponse) -> None:
    answer = _answer(response)
    if answer is None:
        sent_forms.give_up(form)
    else:
        sent_forms.answered(form, answer)


def _answer(response: HttpResponse) -> dict[str, Any] | None:
    """What can be stored and given again; None if the form was refused, has failed, or got too much."""
    if response.status_code >= 400 or response.streaming or len(response.content) > MOST_BYTES:
        return None
    try:
        content = response.content.decode()
    except UnicodeDecodeError:
        return None
    cookies = [cookie.OutputString() for cookie in response.cookies.values()]
    return {
        "status": response.status_code,
        "headers": list(response.items()),
        "cookies": cookies,
        "content": content.replace("\0", ""),
    }


def _response(answer: dict[str, Any]) -> HttpResponse:
    response = HttpResponse(answer["content"], status=answer["status"])
    for name, value in answer["headers"]:
        response[name] = value
    for cookie in answer["cookies"]:
        response.cookies.load(cookie)
    return response
