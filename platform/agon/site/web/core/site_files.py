"""What browsers and search engines ask every site for: an icon, a manifest, and where robots may go."""

import json

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.templatetags.static import static
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from agon.resources import RESOURCES

IMAGES = RESOURCES / "static" / "img"
ROBOTS = """\
User-agent: *
Disallow: /admin/
Disallow: /accounts/
Disallow: /*?part=
Disallow: /*?page=
"""


@require_safe
@cache_control(public=True, max_age=86400)
def favicon(request: HttpRequest) -> HttpResponse:
    return HttpResponse((IMAGES / "favicon.ico").read_bytes(), content_type="image/x-icon")


@require_safe
@cache_control(public=True, max_age=86400)
def robots(request: HttpRequest) -> HttpResponse:
    return HttpResponse(ROBOTS, content_type="text/plain; charset=utf-8")


@require_safe
@cache_control(max_age=86400)
def manifest(request: HttpRequest) -> HttpResponse:
    facts = {
        "name": f"{settings.SITE_NAME} · {_('bot competitions')}",
        "short_name": settings.SITE_NAME,
        "start_url": "/",
        "display": "minimal-ui",
        "background_color": "#faf8f4",
        "theme_color": "#d2552a",
        "icons": [
            {"src": static("img/logo.svg"), "sizes": "any", "type": "image/svg+xml"},
            {"src": static("img/icon-192.png"), "sizes": "192x192", "type": "image/png"},
        ],
    }
    return HttpResponse(
        json.dumps(facts, ensure_ascii=False), content_type="application/manifest+json; charset=utf-8"
    )
