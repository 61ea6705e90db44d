"""Template tags and filters that all apps share: themes, URLs, icons, identicons, times, numbers."""

import hashlib
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

from django import template
from django.conf import settings
from django.http import HttpRequest
from django.template.context import RequestContext
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.html import format_html, format_html_join
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agon.site.core import disk_space
from agon.site.core.cached import cached
from agon.site.core.texts import numbers
from agon.site.core.texts.fault_names import fault_name
from agon.site.events.notices import MOST_COUNTED, count_unread
from agon.site.fleet import presence
from agon.site.web.core import proxies, site_text_views
from agon.site.web.core.stylesheet import stylesheet
from games.core import wording
from sandbox.building.recipes import FORMS
from sandbox.languages import registry

register = template.Library()
register.filter(fault_name)

THEMES = ("auto", "light", "dark")
FACE_COLORS = 8
PRESENCE_SECONDS = 5.0  # for which what is known of processes is fresh
LONGEST_DENOMINATOR = 60  # of a fraction that is shown as one: shares of four seats have at most 12


def theme_of(context: RequestContext) -> str:
    request = context.get("request")
    chosen = request.COOKIES.get("theme", "") if request is not None else ""
    return chosen if chosen in THEMES else "auto"


@register.simple_tag(takes_context=True)
def theme_attribute(context: RequestContext) -> str:
    """The attribute of <html> that selects light or dark; empty if the system decides."""
    theme = theme_of(context)
    return "" if theme == "auto" else format_html(' data-theme="{}"', theme)


@register.simple_tag(takes_context=True)
def theme_pressed(context: RequestContext, theme: str) -> str:
    return format_html(' aria-pressed="{}"', "true" if theme_of(context) == theme else "false")


@register.simple_tag(takes_context=True)
def unread_notices(context: RequestContext) -> str:
    """The number of unread notices of a reader who is signed in; "" if there are none."""
    count = count_unread(context["user"])
    if count >= MOST_COUNTED:
        return f"{MOST_COUNTED - 1}+"
    return str(count) if count else ""


@register.simple_tag
def operator_notices() -> str:
    """Warnings for operators: a process is dead, a disk is nearly full, or the proxies are not as stated."""
    texts = [text for text in (*_dead_notices(), _room_notice(), _proxies_notice()) if text]
    notes = format_html_join("", '<p class="note bad" role="status">{}</p>', ((text,) for text in texts))
    return format_html('<div class="messages">{}</div>', notes) if texts else ""


def _dead_notices() -> list[str]:
    """What nothing does because its process is dead. On a site that has never run, nothing is missed."""
    by_process: dict[tuple[str, datetime], list[str]] = {}
    for missing in cached("missing-processes", presence.missing_now, PRESENCE_SECONDS):
        if missing.since is not None:
            by_process.setdefault((missing.last, missing.since), []).append(missing.sentence)
    words = _("The process %(place)s was last seen %(time)s.") % {"place": "{place}", "time": "{time}"}
    return [
        format_html(
            f"{words} {{sentences}}", place=place, time=time_tag(since), sentences=" ".join(sentences)
        )
        for (place, since), sentences in by_process.items()
    ]


def _room_notice() -> str:
    shortage = disk_space.shortage()
    if isinstance(shortage, disk_space.Shortage):
        text = _(
            "The disk that holds %(folder)s is nearly full: %(free)d MiB are free, at least "
            "%(least)d MiB are needed. Uploads, builds, and matches wait until there is space."
        )
        return text % {"folder": shortage.folder, "free": shortage.free_mib, "least": shortage.least_mib}
    if shortage is not None:
        text = _(
            "The database has %(size)d MiB, at most %(most)d MiB are allowed (AGON_DATABASE_MIB). Uploads, "
            "builds, and matches wait until there is room."
        )
        return text % {"size": shortage.mib, "most": shortage.most_mib}
    return ""


def _proxies_notice() -> str:
    misfit = proxies.misfit()
    return "" if misfit is None else str(misfit.value) % {"count": settings.ALLAUTH_TRUSTED_PROXY_COUNT}


@register.simple_tag(takes_context=True)
def current_page(context: RequestContext, *names: str) -> str:
    """Mark the link to the current page."""
    match = getattr(context.get("request"), "resolver_match", None)
    return mark_safe(' aria-current="page"') if match and match.url_name in names else ""


@register.simple_tag(takes_context=True)
def login_address(context: RequestContext) -> str:
    """The URL of the sign-in page that returns to this page."""
    return _and_back(context, reverse("account_login"))


@register.simple_tag(takes_context=True)
def signup_address(context: RequestContext) -> str:
    """The URL of the sign-up page that returns to this page."""
    return _and_back(context, reverse("account_signup"))


def _and_back(context: RequestContext, address: str) -> str:
    request = context.get("request")
    back = _back(request) if request is not None else ""
    return f"{address}?{urlencode({'next': back})}" if back else address


def _back(request: HttpRequest) -> str:
    """Where to return to. Account pages and refused forms are no such place; account pages pass theirs on."""
    if request.path.startswith("/accounts/"):
        back = request.POST.get("next", request.GET.get("next", ""))
        return back if url_has_allowed_host_and_scheme(back, allowed_hosts=None) else ""
    return request.get_full_path() if request.method == "GET" else ""


@register.simple_tag(takes_context=True)
def fault_address(context: RequestContext, fault: Any, pages: dict[str, int] | None) -> str:
    """Where the transcript has a fault; "" if it has not. pages: by anchor, see transcript.py."""
    anchor = f"step-{fault.step}-{fault.seat.number}"
    if not pages or anchor not in pages:
        return ""
    raw = {"raw": "1"} if context.get("raw") else {}
    query = urlencode(raw | ({"page": str(pages[anchor])} if pages[anchor] > 1 else {}))
    return f"{fault.seat.match.get_absolute_url()}{'?' if query else ''}{query}#{anchor}"


@register.simple_tag
def stylesheet_address() -> str:
    return stylesheet().address


@register.simple_tag
def absolute_static(name: str) -> str:
    """The whole URL of a static file: other sites fetch it."""
    return f"{settings.SITE_URL}{static(name)}"


@register.simple_tag
def absolute_address(path: str) -> str:
    """The whole URL of a page of the site."""
    return f"{settings.SITE_URL}{path}"


@register.simple_tag
def oembed_address(path: str) -> str:
    """Where other sites ask how to show the page at this path (agon.site.web.matches.embed_views)."""
    return f"{absolute_address(reverse('oembed'))}?{urlencode({'url': absolute_address(path)})}"


@register.simple_tag
def site_name() -> str:
    """What the site calls itself."""
    return settings.SITE_NAME


@register.simple_tag
def site_texts() -> list[tuple[str, str]]:
    """Address and title of the imprint and the privacy text, of those that the site has."""
    return [
        (reverse(name), str(title))
        for name, title in site_text_views.TITLES.items()
        if site_text_views.found(name)
    ]


@register.simple_tag
def mail_works() -> bool:
    """Whether this site can send mail, such as a link to a new password."""
    return settings.MAIL


@register.simple_tag
def icon(name: str) -> SafeString:
    """A decorative icon from static/img/icons.svg."""
    return format_html(
        '<svg class="icon" aria-hidden="true" focusable="false"><use href="{}#{}"></use></svg>',
        static("img/icons.svg"),
        name,
    )


@register.simple_tag
@lru_cache(4096)
def identicon(name: str, size: str = "") -> SafeString:
    """An identicon: a small symmetric picture derived from the bot's name."""
    digest = hashlib.sha256(name.encode()).digest()
    squares = [
        f"M{x} {y}h1v1h-1z"
        for y in range(5)
        for x in range(5)
        if digest[y * 3 + min(x, 4 - x)] & 1 or (x == 2 and y == 2)
    ]
    return format_html(
        '<svg class="face face-{} {}" viewBox="-1 -1 7 7" aria-hidden="true" focusable="false">'
        '<path d="{}"/></svg>',
        digest[31] % FACE_COLORS,
        size,
        "".join(squares),
    )


@register.simple_tag
def time_tag(when: datetime | None, style: str = "full") -> str:
    """A time as <time>: UTC in the HTML, converted to the reader's time zone by static/js/page.js.

    style: `full`, `zoned` for the same with the offset from UTC, `day`, `clock` for the time of day alone, or
    `minute` for that without seconds.
    """
    if when is None:
        return ""
    utc = timezone.localtime(when, timezone.get_fixed_timezone(0))
    if style == "clock":
        text = utc.strftime("%H:%M:%S")
    elif style == "minute":
        text = utc.strftime("%H:%M") + " UTC"
    elif style == "zoned":
        text = date_format(utc, "DATETIME_FORMAT") + " (UTC+00:00)"
    elif style == "day":
        text = date_format(utc, "DATE_FORMAT")
    else:
        text = date_format(utc, "DATETIME_FORMAT") + " UTC"
    machine = utc.isoformat(timespec="seconds")  # HTML allows no microseconds
    return format_html('<time datetime="{}" data-local="{}">{}</time>', machine, style, text)


@register.simple_tag
def countdown(until: datetime) -> str:
    """The time that is left: roughly in the HTML, to the second by static/js/page.js."""
    left = max(0.0, (until - timezone.now()).total_seconds())
    return format_html('<span data-countdown="{}">{}</span>', until.isoformat(), roughly(left))


@register.filter
def duration(seconds: float | timedelta | None) -> str:
    """A duration: "310 ms", "12 s", "4 min", "2 h 5 min"."""
    if seconds is None:
        return ""
    total = seconds.total_seconds() if isinstance(seconds, timedelta) else float(seconds)
    if total < 1:
        return _("%(n)s ms") % {"n": f"{total * 1000:.0f}"}
    if total < 10:
        return _("%(n)s s") % {"n": numbers.decimal(total, ".1f")}
    if total < 90:
        return _("%(n)s s") % {"n": f"{total:.0f}"}
    if total < 5400:
        return _("%(n)s min") % {"n": f"{total / 60:.0f}"}
    return _("%(hours)s h %(minutes)s min") % {
        "hours": int(total // 3600),
        "minutes": int(total % 3600 // 60),
    }


@register.filter
def roughly(seconds: float) -> str:
    """An estimated duration: "less than a second", "about 5 minutes", "about 2 hours"."""
    if seconds < 1:
        return _("less than a second")
    if (n := round(seconds)) < 60:
        return ngettext("about %(n)s second", "about %(n)s seconds", n) % {"n": n}
    if (n := round(seconds / 60)) < 120:
        return ngettext("about %(n)s minute", "about %(n)s minutes", n) % {"n": n}
    if (n := round(seconds / 3600)) < 48:
        return ngettext("about %(n)s hour", "about %(n)s hours", n) % {"n": n}
    n = round(seconds / 86_400)
    return ngettext("about %(n)s day", "about %(n)s days", n) % {"n": n}


@register.filter
def of_bots(count: int) -> str:
    return ngettext("%(n)s bot", "%(n)s bots", count) % {"n": count}


@register.filter
def of_matches(count: int) -> str:
    return ngettext("%(n)s match", "%(n)s matches", count) % {"n": count}


@register.filter
def milliseconds(count: int) -> str:
    """A limit in milliseconds, in a readable unit: "100 ms", "2 s", "1.5 s"."""
    if count < 1000:
        return _("%(n)s ms") % {"n": count}
    return _("%(n)s s") % {"n": numbers.decimal(count / 1000, "g")}


@register.filter
def microseconds(count: int) -> str:
    """How long a reply took: "85 µs", "2.4 ms", "340 ms", "1.2 s"; "" for 0, which was not measured."""
    if count == 0:
        return ""
    if count < 1000:
        return _("%(n)s µs") % {"n": count}
    if count < 1_000_000:
        return _("%(n)s ms") % {"n": numbers.decimal(count / 1000, ".1f" if count < 10_000 else ".0f")}
    return _("%(n)s s") % {"n": numbers.decimal(count / 1_000_000, ".1f")}


@register.filter
def mib(count: int) -> str:
    """A limit in bytes, in the largest unit that divides it: "10 MiB", "512 KiB", "900 B"."""
    if count and count % (1 << 20) == 0:
        return _("%(n)s MiB") % {"n": count >> 20}
    if count and count % (1 << 10) == 0:
        return _("%(n)s KiB") % {"n": count >> 10}
    return _("%(n)s B") % {"n": count}


@register.filter
def exact(score: Any) -> str:
    """An exact score for display: "12", "3 1/2", "−4"; empty if there is none yet."""
    return "" if score in ("", None) else wording.exact(score)


@register.filter
def format_score(value: Fraction) -> str:
    """Exact where that is easy to read ("3 1/2"), else to three decimals: means of many matches."""
    if value.denominator <= LONGEST_DENOMINATOR:
        return wording.exact(value)
    return number_format(round(Decimal(value.numerator) / value.denominator, 3)).replace("-", "−")


@register.filter
def percent(share: Fraction | float) -> str:
    return numbers.percent(round(100 * share))


@register.filter
def percent_of(part: int, whole: int) -> str:
    return percent(part / whole)


@register.filter
def signed(share: float) -> str:
    """A difference of shares in percent, with its sign: "+4 %", "−12 %"."""
    whole = round(100 * share)
    return numbers.percent(f"{'−' if whole < 0 else '+' if whole > 0 else ''}{abs(whole)}")


@register.filter
def points(difference: int) -> str:
    """A difference of ratings with its sign: "+140", "−12"."""
    return f"{'−' if difference < 0 else '+'}{abs(difference)}"


@register.filter
def language_name(slug: str) -> str:
    """The name of a programming language, or of the files that say how a program is built and run; the stored
    slug if it is unknown."""
    if slug in FORMS:
        return FORMS[slug]
    return next((language.title for language in registry.all_languages() if language.slug == slug), slug)


@register.simple_tag
def game_text(text: str) -> str:
    """A text of a game's manifest, translated if there is a translation."""
    return _(text) if text else ""
