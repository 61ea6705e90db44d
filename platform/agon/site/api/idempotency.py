"""A request with an `Idempotency-Key` is carried out once, however often it is sent within a day.

Its effects and its answer are stored in one transaction: either both are there or neither, whatever dies in
between. A second request with the key waits for that transaction, because the key is unique, and then gets
the answer. Answers that ask to try again (429, 5xx) are not kept, nor are those to a token that may not do
this (401, 403): another one may, with the same key. What a token did is not answered to one that may do less.
"""

import hashlib
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from agon.site.api.models import Answer
from agon.site.api.problems import Problem, invalid
from agon.site.core.db.deadlocks import repeated_after_deadlock

KEPT = timedelta(hours=24)
NOT_KEPT = (401, 403, 429)  # and what the site failed at
LONGEST_KEY = 255
HEADER = "Idempotency-Key"


def once(request: Any, view: Callable[[], HttpResponse]) -> HttpResponse:
    """The view's response, or the stored one. Raises Problem for a key that belongs to another request."""
    key = request.headers.get(HEADER)
    if key is None or request.token is None:
        return view()
    if not 1 <= len(key) <= LONGEST_KEY or not key.isprintable():
        detail = _("Expected 1 to %(most)d printable characters.") % {"most": LONGEST_KEY}
        raise invalid(HEADER, detail)
    digest = _digest(request)
    forget_old()
    return _once(request, view, key, digest)


@repeated_after_deadlock  # those of the view are within this transaction, and so repeat nothing
@transaction.atomic
def _once(request: Any, view: Callable[[], HttpResponse], key: str, digest: str) -> HttpResponse:
    answer, is_new = _begin(request.user.pk, key, digest)
    if not is_new:
        return _again(answer, digest)
    for _name, files in request.FILES.lists():
        for file in files:
            file.seek(0)  # the digest has read it, or the view that met a deadlock
    response = _carry_out(view)
    if response.status_code in NOT_KEPT or response.status_code >= 500:
        answer.delete()
        return response
    Answer.objects.filter(pk=answer.pk).update(
        status=response.status_code,
        body=response.content,
        content_type=response["Content-Type"],
        location=response.get("Location", ""),
    )
    return response


def forget_old() -> None:
    """Remove the answers that are no longer kept."""
    Answer.objects.filter(created__lt=timezone.now() - KEPT).delete()


def _begin(owner: int, key: str, digest: str) -> tuple[Answer, bool]:
    """The row of the key, and whether this request made it. Waits for a transaction that is making it."""
    try:
        with transaction.atomic():
            return Answer.objects.create(owner_id=owner, key=key, digest=digest), True
    except IntegrityError:
        answer = Answer.objects.filter(owner=owner, key=key).first()
        if answer is None:  # forgotten in this moment, or its request failed
            raise Problem("key_in_use", retry_after=1) from None
        return answer, False


def _carry_out(view: Callable[[], HttpResponse]) -> HttpResponse:
    """The response; what a refused request has done until then is undone."""
    with transaction.atomic():
        response = view()
        if response.status_code >= 400:
            transaction.set_rollback(True)
    return response


def _again(answer: Answer, digest: str) -> HttpResponse:
    if answer.digest != digest:
        raise Problem("key_reused")
    response = HttpResponse(bytes(answer.body), status=answer.status, content_type=answer.content_type)
    if answer.location:
        response["Location"] = answer.location
    response["Idempotency-Replayed"] = "true"
    return response


def _digest(request: Any) -> str:
    """Of method, address, what the token may do, and the form's fields and files, or the body: boundaries of
    forms differ.
    """
    may = f"{sorted(request.token.scopes)} {request.token.competition_id}"
    digest = hashlib.sha256(f"{request.method} {request.get_full_path()}\n{may}\n".encode())
    if request.content_type == "multipart/form-data":
        fields = {name: request.POST.getlist(name) for name in sorted(request.POST)}
        digest.update(json.dumps(fields).encode())
        for name in sorted(request.FILES):
            for file in request.FILES.getlist(name):
                digest.update(f"\n{name} {file.name} {file.size}\n".encode())
                for piece in file.chunks():
                    digest.update(piece)
    else:
        digest.update(request.body)
    return digest.hexdigest()
