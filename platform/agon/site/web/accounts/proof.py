"""A form that asks for proof that it is the account's owner who acts, and not who found an open browser.

That is the password and, if an app gives codes for the account, such a code or one on paper. An account
without a password, or with a passkey as second factor, has to have signed in within the last ten minutes.
"""

from typing import Any

from allauth.core import ratelimit
from allauth.mfa.base.forms import AuthenticateForm
from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agon.site.accounts import second_factor
from agon.site.web.accounts import fresh_sign_in
from agon.site.web.core.requests import SignedInRequest


class ProofForm(forms.Form):
    password = forms.CharField(
        label=gettext_lazy("Your password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    code = forms.CharField(
        label=gettext_lazy("Code of your app, or one of your recovery codes"),
        max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "inputmode": "numeric"}),
    )

    def __init__(self, *args: Any, request: SignedInRequest, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request = request
        has_codes = second_factor.has_codes(request.user)
        self.is_proven = has_codes or not second_factor.is_on(request.user)
        if not request.user.has_usable_password():
            del self.fields["password"]
            self.is_proven = has_codes
        if not has_codes:
            del self.fields["code"]

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        if not ratelimit.consume(self.request, action="reauthenticate", user=self.request.user):
            raise forms.ValidationError(_("Too many attempts. Try again in a minute."))
        if not self.request.user.check_password(password):
            raise forms.ValidationError(_("The password is incorrect."))
        return password

    def clean_code(self) -> str:
        """Beside another error it is not tried: a right one would be used up."""
        code: str = self.cleaned_data["code"]
        if not self.errors:
            form = AuthenticateForm({"code": code}, user=self.request.user)
            if not form.is_valid():
                raise forms.ValidationError(form.errors["code"])
            form.authenticator.record_usage()
        return code

    def clean(self) -> dict[str, Any]:
        result = super().clean() or self.cleaned_data
        if not self.is_proven and not fresh_sign_in.is_fresh(self.request):
            raise forms.ValidationError(
                _("Sign out and in again first: you signed in too long ago for this.")
            )
        return result
