"""Every address answers each role as the table in permissions.py says.

Without a token every POST is 403. An address that is new has no row, and fails.
"""

import re
from collections.abc import Iterator
from http.cookies import SimpleCookie
from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from agon.site.accounts.models import User
from agon.site.bots.models import Bot, Submission
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from tests.support.factories import played, submit
from tests.support.one_of_each import ROLES, boundary, one_of_each

from .permissions import HEAD_OF_ITS_OWN, TABLE, Row

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("bare_layout")]


@pytest.fixture
def site(user, competition) -> dict[str, Any]:
    objects = one_of_each(user, competition)
    failed = submit(user, competition, "Hapless")
    seats = [failed, *Submission.objects.filter(bot__name__startswith="Rival")]
    queue = Match.Queue.INTERACTIVE
    match = queueing.queue(competition, Match.Kind.QUALIFICATION, queue, seats, qualifies=failed)
    claimed = leases.claim("w")
    assert claimed == match
    assert leases.finish(claimed, played(claimed, {(0, 0): ("crash", "it crashed")}))
    return objects | {"failed": failed, "failed match": match}


def addresses() -> Iterator[tuple[str, str]]:
    """Name and pattern of every address of the site that has a name; the admin's catch-alls have none."""
    yield from _named(get_resolver(), "", "")


def _named(resolver: URLResolver, namespace: str, prefix: str) -> Iterator[tuple[str, str]]:
    for url_pattern in resolver.url_patterns:
        if isinstance(url_pattern, URLPattern):
            if url_pattern.name is not None:
                yield namespace + url_pattern.name, prefix + str(url_pattern.pattern)
        elif url_pattern.namespace != "api":  # tests/agon/site/api/test_permissions.py
            inner = f"{url_pattern.namespace}:" if url_pattern.namespace else namespace
            yield from _named(url_pattern, inner, prefix + str(url_pattern.pattern))


def address(name: str, pattern: str, site: dict[str, Any]) -> str:
    own, cup = site["own"], site["cups"][0]
    where = {
        "slug": "samurai",
        "name": "owner" if name.startswith("user") else "StarterPy",
        "game": "samurai",
        "script": "hidden_favor",
        "number": site["own seat"] if "of a tournament" in name else 0,
        "app_label": "bots",
        "key": "no-key",
        "secret": "no-secret",
        "token": site["trial"],
        "digest": "0123456789abcdef",
        "uidb36": "1",
        "content_type_id": ContentType.objects.get_for_model(Bot).pk,
        "object_id": 1,
        "id": site["people"]["owner"].pk,
        "pk": own.pk,
        "day": site["day"],
        "page": "guides/compete",
        "image": "home.png",
        "provider_id": "provider",
    }
    if name.startswith("user"):
        where["name"] = site["people"]["owner"].username
    if name.startswith("bot"):
        where["pk"] = (site["failed"] if "that failed" in name else own).bot.pk
    if name.startswith("match"):
        where["pk"] = site["cup match" if "of a tournament" in name else "ladder"].pk
        where["name"] = "history.txt"
        if "that failed" in name:
            where["pk"] = site["failed match"].pk
    if name.startswith("tournament"):
        where["pk"] = (site["cups"][1] if "not started" in name or name == "tournament_start" else cup).pk
    if name.startswith("season"):
        where["pk"] = site["season"].pk
    if name.startswith("comparison"):
        where["pk"] = site["comparison"].pk
    if name.startswith("challenge"):
        where["pk"] = site["challenge"].pk
    if name in ("competition_draft", "competition_open", "competition_delete"):
        where["pk"] = site["competition draft"].pk
    if name.startswith("announcement"):
        where["pk"] = site["announcement"].pk
    if name == "course_milestone":
        where["pk"] = 1
    if name in ("course_judging", "course_extensions"):
        where["pk"] = 2
    if name == "course_assessment":
        where["pk"] = 1
    if name == "revoke_token":
        where["pk"] = site["access token"].pk
    if name.startswith("webhook"):
        where |= {"pk": site["hook"].pk, "delivery": site["delivery"].pk}
    if name.startswith("team_"):
        where |= {"pk": site["team"].pk, "member": site["people"]["rival"].pk}
    if name == "submission_remove":
        where["pk"] = site["rejected"].pk
    if name.startswith("admin:") and "object_id" in pattern:
        where["object_id"] = own.bot.pk if name == "admin:view_on_site" else _row_of(name, site)
    wanted = set(re.findall(r"[<:](\w+)>", pattern))
    return reverse(
        name.partition(" ")[0], kwargs={key: value for key, value in where.items() if key in wanted}
    )


def _row_of(name: str, site: dict[str, Any]) -> object:
    return {
        "accounts_user": site["people"]["newcomer"].pk,
        "auth_group": Group.objects.get(name="Organizers").pk,
        "bots_bot": site["own"].bot.pk,
        "bots_submission": site["own"].pk,
        "matches_match": site["ladder"].pk,
        "fleet_oddworker": site["odd"].pk,
        "fleet_pausedworker": site["paused"].pk,
        "competitions_competition": site["own"].bot.competition_id,
        "leaderboards_rating": site["own"].rated.rating_id,
        "tournaments_tournament": site["cups"][0].pk,
        "account_emailaddress": 1,
        "audit_act": site["act"].pk,
    }.get(re.sub(r"^admin:|_(changelist|add|history|delete|change)$", "", name), 1)


# Mail programs send it; its link is signed, and that of these tests is not.
NO_TOKEN_NEEDED = {"unsubscribe": 404}
POSTED = {"words": "a reason", "why": "a reason", "password": "wrong", "next": "/"}


def answer(client: Client, method: str, where: str) -> int:
    """The status of the answer; nothing of what it has done to the database, or to the cookies, stays."""
    cookies = client.cookies.output(header="", sep=";")
    with transaction.atomic():
        data = POSTED if method == "post" else None
        status = getattr(client, method)(where, data).status_code
        transaction.set_rollback(True)
    client.cookies = SimpleCookie(cookies)
    return int(status)


def by_role(statuses: str) -> dict[str, str]:
    words = statuses.split()
    return dict(zip(ROLES, words * len(ROLES) if len(words) == 1 else words, strict=True))


def all_roles(name: str, row: Row) -> Iterator[tuple[str, dict[str, str]]]:
    """Each role by GET and by POST, the owner by HEAD: method, and the status of each role."""
    read = by_role(row.get)
    yield "get", read
    if name not in HEAD_OF_ITS_OWN:
        yield "head", {"owner": read["owner"]}
    yield "post", by_role(row.post)


def border(name: str, row: Row) -> Iterator[tuple[str, dict[str, str]]]:
    """The roles at the border of each answer; the last one that is refused asks by HEAD.

    Where no POST is taken, the administrator is asked, whom a right given too widely reaches.
    """
    read, sent = by_role(row.get), by_role(row.post)
    firsts = {read[role]: role for role in reversed(ROLES)}
    roles = boundary(read)
    heads = [] if name in HEAD_OF_ITS_OWN else [role for role in roles if role != firsts[read[role]]]
    yield "get", {role: read[role] for role in roles if role not in heads}
    yield "head", {role: read[role] for role in heads}
    senders = ["administrator"] if set(sent.values()) == {"405"} else boundary(sent)
    yield "post", {role: sent[role] for role in senders}


@pytest.mark.slow
@pytest.mark.parametrize("asked", [border, pytest.param(all_roles, marks=pytest.mark.exhaustive)])
def test_every_address_answers_each_role_as_the_table_says(site, asked):
    clients = {role: Client() for role in ROLES}
    for role, person in site["people"].items():
        clients[role].force_login(person)
    patterns = dict(addresses())
    names = [*patterns, *(name for name in TABLE if " " in name)]
    wrong = [f"no row: {name}" for name in patterns if name not in TABLE]
    wrong += [f"no such address: {name}" for name in TABLE if name.partition(" ")[0] not in patterns]
    for name in names:
        if name not in TABLE:
            continue
        where = address(name, patterns[name.partition(" ")[0]], site)
        for method, expected in asked(name, TABLE[name]):
            got = {role: str(answer(clients[role], method, where)) for role in expected}
            if got != expected:
                wrong.append(f"{method} {name} {where}: expected {expected}, got {got}")
    assert wrong == [], "\n".join(["", *wrong])


def test_without_a_token_nothing_is_changed_at_any_address(site):
    client = Client(enforce_csrf_checks=True)
    client.force_login(site["people"]["administrator"])
    for name, pattern in addresses():
        where = address(name, pattern, site)
        expected = NO_TOKEN_NEEDED.get(name, 403)
        assert (answer(client, "post", where), where) == (expected, where)


@pytest.fixture
def clerk(db) -> Client:
    """May add and change accounts, and is no superuser."""
    person = User.objects.create_user("clerk", is_staff=True)
    person.user_permissions.set(
        Permission.objects.filter(codename__in=("view_user", "add_user", "change_user"))
    )
    client = Client()
    client.force_login(person)
    return client


def test_those_who_may_change_accounts_cannot_give_themselves_rights(clerk):
    own = User.objects.get(username="clerk")
    form = clerk.get(f"/admin/accounts/user/{own.pk}/change/")
    assert form.status_code == 200
    assert b"is_superuser" not in form.content or b'name="is_superuser"' not in form.content
    rita = User.objects.create_user("rita")
    sent = {"username": "rita", "is_active": "on", "is_staff": "on", "is_superuser": "on"}
    sent |= {
        "date_joined_0": "2026-01-01",
        "date_joined_1": "00:00:00",
        "groups": "1",
        "user_permissions": "1",
        "why": "asked for",
    }
    assert clerk.post(f"/admin/accounts/user/{rita.pk}/change/", sent).status_code == 302
    rita.refresh_from_db()
    assert (rita.is_staff, rita.is_superuser) == (False, False)
    assert not rita.groups.exists()
    assert not rita.user_permissions.exists()


@pytest.mark.parametrize("page", ["change", "password"])
def test_those_who_may_change_accounts_cannot_change_the_staffs(clerk, page):
    admin = User.objects.create_superuser("admin", password="as it was")
    where = f"/admin/accounts/user/{admin.pk}/{page}/"
    clerk.post(where, {"password1": "another one 12", "password2": "another one 12", "username": "x"})
    admin.refresh_from_db()
    assert admin.check_password("as it was")
    assert admin.username == "admin"
