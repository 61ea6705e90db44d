"""URLs of the pages in the views of this folder."""

from django.urls import path, re_path

from agon.site.web.accounts import (
    closing_views,
    device_views,
    export_views,
    profile_views,
    security_views,
    token_views,
    views,
)

urlpatterns = [
    path("accounts/profile/", profile_views.profile, name="profile"),
    path("accounts/tokens/", token_views.tokens, name="tokens"),
    path("accounts/tokens/<int:pk>/revoke/", token_views.revoke_token, name="revoke_token"),
    path("accounts/export/", export_views.export, name="export"),
    path("accounts/security/", security_views.security, name="security"),
    path("accounts/security/sessions/<int:pk>/end/", security_views.end, name="session_end"),
    path("accounts/security/sessions/end/", security_views.end_others, name="sessions_end"),
    path("device/", device_views.device_page, name="device"),
    re_path(r"^u/(?P<name>[\w.@+-]{1,150})/$", views.user, name="user"),
    re_path(r"^u/(?P<name>[\w.@+-]{1,150})/close/$", closing_views.close, name="user_close"),
]
