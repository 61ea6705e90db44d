"""The root URLconf. Each app has its own `urls.py`."""

from allauth.account.decorators import secure_admin_login
from django.conf import settings
from django.contrib import admin
from django.urls import include, path

from agon.site.web.accounts import mail_views, provider, registration
from agon.site.web.accounts.views import SignUp
from agon.site.web.competitions import other_spelling
from agon.site.web.core import error_views, site_files, site_text_views, stylesheet

# The admin signs in through the site's login page, which limits attempts.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
admin.site.site_header = admin.site.site_title = settings.SITE_NAME

handler400 = error_views.bad_request
handler403 = error_views.forbidden
handler404 = other_spelling.not_found
handler500 = error_views.server_error

urlpatterns = [
    path("", include("agon.site.web.competitions.urls")),
    path("", include("agon.site.web.leaderboards.urls")),
    path("", include("agon.site.web.comparisons.urls")),
    path("", include("agon.site.web.challenges.urls")),
    path("", include("agon.site.web.courses.urls")),
    path("", include("agon.site.web.bots.urls")),
    path("", include("agon.site.web.matches.urls")),
    path("", include("agon.site.web.trials.urls")),
    path("", include("agon.site.web.tournaments.urls")),
    path("", include("agon.site.web.seasons.urls")),
    path("", include("agon.site.web.archives.urls")),
    path("", include("agon.site.web.accounts.urls")),
    path("", include("agon.site.web.teams.urls")),
    path("", include("agon.site.web.events.urls")),
    path("", include("agon.site.web.webhooks.urls")),
    path("", include("agon.site.web.docs.urls")),
    path("", include("agon.site.web.fleet.urls")),
    path("api/v1/", include("agon.site.api.urls")),
    path("style-<str:digest>.css", stylesheet.view, name="stylesheet"),
    path("favicon.ico", site_files.favicon, name="favicon"),
    path("robots.txt", site_files.robots, name="robots"),
    path("site.webmanifest", site_files.manifest, name="manifest"),
    path("imprint/", site_text_views.shown, {"name": "imprint"}, name="imprint"),
    path("privacy/", site_text_views.shown, {"name": "privacy"}, name="privacy"),
    path("theme/", error_views.set_theme, name="set_theme"),
    path("admin/", admin.site.urls),
    path("accounts/password/reset/", mail_views.reset_password, name="account_reset_password"),
    path("accounts/password/reset/done/", mail_views.reset_password_done, name="account_reset_password_done"),
    path("accounts/email/", mail_views.email_addresses, name="account_email"),
    path("accounts/confirm-email/", mail_views.confirmation_sent, name="account_email_verification_sent"),
    path("accounts/signup/code/", registration.code, name="registration_code"),
    path("accounts/signup/", SignUp.as_view(), name="account_signup"),
    path("accounts/", include("allauth.account.urls")),
    path("accounts/2fa/", include("allauth.mfa.urls")),
    path("accounts/provider/signup/", provider.SignUp.as_view(), name="socialaccount_signup"),
    path("accounts/provider/", include("allauth.socialaccount.urls")),
    path("accounts/oidc/<str:provider_id>/login/", provider.sign_in, name="openid_connect_login"),
    path("accounts/", include("allauth.socialaccount.providers.openid_connect.urls")),
    path("i18n/", include("django.conf.urls.i18n")),
]
