"""The pages of allauth that are about mail. On a site without mail, others stand in their place."""

from allauth.account import views
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe


def reset_password(request: HttpRequest) -> HttpResponseBase:
    """The form that mails a link to a new password; without mail, whom to ask instead."""
    if settings.MAIL:
        return _answer(views.password_reset(request))
    return render(request, "accounts/no_mail.html")


@require_safe
def reset_password_done(request: HttpRequest) -> HttpResponseBase:
    """That the link was mailed."""
    if settings.MAIL:
        return _answer(views.password_reset_done(request))
    return render(request, "accounts/no_mail.html")


@login_required
def email_addresses(request: HttpRequest) -> HttpResponseBase:
    """One's addresses; without mail, that none is needed. What a form of another time sends is not kept."""
    if settings.MAIL:
        return _answer(views.email(request))
    if request.method == "POST":
        return redirect("account_email")
    return render(request, "accounts/no_address.html")


@require_safe
def confirmation_sent(request: HttpRequest) -> HttpResponseBase:
    """That a mail which confirms an address was sent."""
    if settings.MAIL:
        return _answer(views.email_verification_sent(request))
    return render(request, "accounts/no_address.html")


def _answer(response: HttpResponseBase) -> HttpResponseBase:
    """allauth's views have no types."""
    return response
