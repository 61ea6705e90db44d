"""Device login (RFC 8628): how a program without a browser gets a token. agon.site.tokens.device is the rest.

The errors of these two operations are those of OAuth, since clients of other projects understand them. Both
refuse a request that has a token already: its answer would be kept with its idempotency key.
"""

from typing import Any

from allauth.core import ratelimit
from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from ninja import Form, Router, Schema
from ninja.responses import Status
from pydantic import Field

from agon.site.api.parameters import any_fields
from agon.site.api.problems import Problem
from agon.site.api.shapes import Shape, link
from agon.site.tokens import device
from agon.site.tokens.device import Refusal

router = Router(tags=["device login"])
GRANT = "urn:ietf:params:oauth:grant-type:device_code"


class DeviceCodeForm(Schema):
    client_id: str = Field("", description="What the program calls itself. People see it.")
    scope: str = Field("", description="Scopes, with spaces between them. Default: read submit.")


class DeviceTokenForm(Schema):
    grant_type: str = Field("", description=GRANT)
    device_code: str = ""
    client_id: str = Field("", description="As at the beginning.")


class DeviceCodeShape(Shape):
    device_code: str
    user_code: str = Field(description="To be entered on the page by the person.")
    verification_uri: str
    verification_uri_complete: str = Field(description="The page with the code filled in.")
    expires_in: int = Field(description="Seconds.")
    interval: int = Field(description="Seconds to leave between two requests for the token.")


class DeviceTokenShape(Shape):
    access_token: str
    token_type: str
    expires_in: int = Field(description="Seconds.")
    scope: str = Field(description="What the token may do: what was asked for, or a part of it.")


class OAuthErrorShape(Shape):
    """As RFC 6749 and RFC 8628 name them: authorization_pending, slow_down, access_denied, expired_token,
    invalid_grant, invalid_scope, invalid_request, unsupported_grant_type.
    """

    error: str
    error_description: str


@router.post("/device/code", response={200: DeviceCodeShape, 400: OAuthErrorShape})
@any_fields
def device_code(request: Any, form: Form[DeviceCodeForm]) -> Any:
    """Begin a device login: show `user_code` to the person, and ask for the token meanwhile."""
    if request.token is not None:
        return _has_token()
    if not ratelimit.consume(request, action="device_login"):
        raise Problem("too_many_requests", retry_after=60)
    begun = device.begin(form.client_id, form.scope.split())
    if isinstance(begun, Refusal):
        return _refused(begun)
    login, code = begun
    page = link("/device/")
    return {
        "device_code": code,
        "user_code": login.shown_code,
        "verification_uri": page,
        "verification_uri_complete": f"{page}?code={login.shown_code}",
        "expires_in": int(device.LIFE.total_seconds()),
        "interval": login.interval,
    }


@router.post("/device/token", response={200: DeviceTokenShape, 400: OAuthErrorShape})
@any_fields
def device_token(request: Any, response: HttpResponse, form: Form[DeviceTokenForm]) -> Any:
    """The token, once the person has approved. Until then, the error says whether to ask again."""
    response["Cache-Control"] = "no-store"
    if request.token is not None:
        return _has_token()
    if form.grant_type != GRANT:
        return _refused(Refusal("unsupported_grant_type", _("Expected %(grant)s.") % {"grant": GRANT}))
    collected = device.collect(form.device_code, form.client_id)
    if isinstance(collected, Refusal):
        return _refused(collected)
    token, text = collected
    assert token.expires is not None
    return {
        "access_token": text,
        "token_type": "Bearer",
        "expires_in": int((token.expires - timezone.now()).total_seconds()),
        "scope": " ".join(token.scopes),
    }


def _refused(refusal: Refusal) -> Status[dict[str, str]]:
    return Status(400, {"error": refusal.error, "error_description": refusal.sentence})


def _has_token() -> Status[dict[str, str]]:
    return _refused(Refusal("invalid_request", _("Send no access token here.")))
