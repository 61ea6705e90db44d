"""The page where people get all that the site keeps of them (agon.site.use_cases.own_data)."""

import tempfile
from collections.abc import Iterator
from typing import IO

from allauth.core.internal import ratelimit
from django.http import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters

from agon.site.use_cases import own_data
from agon.site.web.accounts.proof import ProofForm
from agon.site.web.core import signed_in
from agon.site.web.core.downloads import PIECE, streamed
from agon.site.web.core.requests import SignedInRequest


@sensitive_post_parameters("password", "code")
@signed_in.form
def export(request: SignedInRequest) -> HttpResponseBase:
    """Ask for proof; then the zip, which is a temporary file until it is sent."""
    form = ProofForm(request.POST if request.method == "POST" else None, request=request)
    if request.method == "POST" and form.is_valid():
        if ratelimit.consume(request, app="allauth.account", action="export", user=request.user):
            file = tempfile.TemporaryFile()  # noqa: SIM115  (closed when it is sent)
            own_data.write(request.user, file)
            file.seek(0)
            name = f"{request.user.username}-{timezone.now():%Y-%m-%d}.zip"
            return streamed(request, _pieces(file), name, "application/zip")
        form.add_error(None, _("You have had this three times within an hour. Try again later."))
    status = 422 if form.is_bound else 200
    return render(request, "accounts/export.html", {"form": form}, status=status)


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while piece := file.read(PIECE):
            yield piece
