"""The form for what an account's owner says on its page."""

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agon.site.accounts import profiles
from agon.site.accounts.models import LONGEST_ABOUT
from agon.site.accounts.profiles import MOST_LINES, BadProfile
from agon.site.web.core import signed_in
from agon.site.web.core.requests import SignedInRequest


class ProfileForm(forms.Form):
    """Plain text, whose addresses become links."""

    about = forms.CharField(
        label=gettext_lazy("About you"),
        help_text=gettext_lazy("A few lines that everyone can read on your page. Addresses become links."),
        max_length=LONGEST_ABOUT,
        required=False,
        widget=forms.Textarea(attrs={"rows": MOST_LINES}),
    )

    def clean_about(self) -> str:
        try:
            return profiles.validated(self.cleaned_data["about"])
        except BadProfile as bad:
            raise forms.ValidationError(str(bad)) from None


@signed_in.form
def profile(request: SignedInRequest) -> HttpResponse:
    own = request.user
    form = ProfileForm(request.POST if request.method == "POST" else None, initial={"about": own.about})
    if form.is_valid():
        profiles.save(own, form.cleaned_data["about"])
        messages.success(request, _("Your profile was saved."))
        return redirect(own)
    return render(request, "accounts/profile.html", {"form": form}, status=422 if form.is_bound else 200)
