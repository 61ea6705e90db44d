"""The page of a personal link: choose a password, and be in the course."""

from typing import Any
from urllib.parse import urlencode

from allauth.account.utils import perform_login
from allauth.core.internal import ratelimit
from django import forms
from django.contrib import messages
from django.contrib.auth.password_validation import validate_password
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from agon.site.accounts.models import User
from agon.site.courses import joining
from agon.site.courses.changing import Refused
from agon.site.courses.joining import NoPlace
from agon.site.courses.models import Student


class PasswordForm(forms.Form):
    password = forms.CharField(
        label=gettext_lazy("Password"),
        strip=False,
        max_length=200,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def __init__(self, *args: Any, account: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.account = account

    def clean_password(self) -> str:
        given: str = self.cleaned_data["password"]
        validate_password(given, self.account)
        return given


@sensitive_post_parameters("password")
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, secret: str) -> HttpResponse:
    """A GET changes nothing: programs follow links, too."""
    try:
        student = joining.place_with(secret)
        if request.method != "POST":
            return _page(request, student, _form(request, student))
        if "as_myself" in request.POST and isinstance(request.user, User):
            return _join_as(request, student, request.user)
        return _join(request, student)
    except NoPlace:
        return render(request, "courses/no_place.html", status=404)


def _form(request: HttpRequest, student: Student) -> PasswordForm:
    account = student.user or User(username=student.pseudonym)
    return PasswordForm(request.POST if request.method == "POST" else None, account=account)


def _join(request: HttpRequest, student: Student) -> HttpResponse:
    """With an account that the link makes, or with another password of it."""
    if not ratelimit.consume(request, app="allauth.account", action="signup"):
        return _page(request, student, _form(request, student), _("Too many tries. Wait a minute."), 429)
    form = _form(request, student)
    if not form.is_valid():
        return _page(request, student, form)
    try:
        joined = joining.join_with_password(student.secret, form.cleaned_data["password"])
    except Refused as why:
        return _page(request, student, form, str(why), 422)
    assert joined.user is not None
    answer: HttpResponse = perform_login(request, joined.user, redirect_url=joined.course.get_absolute_url())
    if not request.user.is_authenticated:  # a second factor is asked for
        return answer
    words = _("You are in. Your name here is %(name)s: with it and your password you sign in again.")
    messages.success(request, words % {"name": joined.user.username})
    return answer


def _join_as(request: HttpRequest, student: Student, user: User) -> HttpResponse:
    try:
        joined = joining.join_with_account(student.secret, user)
    except Refused as why:
        return _page(request, student, _form(request, student), str(why), 422)
    return redirect(joined.course)


def _page(
    request: HttpRequest, student: Student, form: PasswordForm, problem: str = "", status: int = 0
) -> HttpResponse:
    context: dict[str, Any] = {
        "student": student,
        "form": form,
        "problem": problem,
        "back": urlencode({"next": request.path}),
    }
    usual = 422 if form.is_bound and form.errors else 200
    return render(request, "courses/join.html", context, status=status or usual)
