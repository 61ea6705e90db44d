"""No page, download or header tells a seed before its match, and the match's tournament, are over."""

import hashlib
import json
import re
from itertools import product

import pytest
from django.contrib.auth.models import Group, Permission
from django.test import Client

from agon.contest.archive import verify
from agon.site.accounts.models import User
from agon.site.archives import storing
from agon.site.bots.states import State as SubmissionState
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from agon.site.matches.states import State
from agon.site.tournaments import scheduling, services
from agon.site.tournaments.models import Tournament
from agon.site.use_cases import qualification
from games.core.record import BadRecord, from_json, to_json
from tests.support.crawling import crawled
from tests.support.factories import played, submit
from tests.support.reasons import said

from .conftest import browser_of

ALIKE = re.compile(r"[?&]sort=")  # the same rows in another order
# The other roles see fewer of the same pages, so that only `make test-all` reads these as they do.
READERS = (
    "ada",
    *(pytest.param(name, marks=pytest.mark.exhaustive) for name in ("anybody", "orga", "sam", "olga")),
)
TABLES = ("admin/matches/match", "admin/tournaments/tournament", "admin/bots/submission")


@pytest.fixture
def cups(four, competition, organizer):
    """A draft, a running and a paused tournament, the latter two with matches in every state."""
    bots = [submission.bot for submission in four]
    names = {"Draft cup": 71_828_182, "Running cup": 31_415_926, "Paused cup": 16_180_339}
    draft, running, paused = [
        services.create(organizer, competition, name, "rotations", 1, seed, bots)
        for name, seed in names.items()
    ]
    for cup in (running, paused):
        services.start(cup)
        for match in (leases.claim("w"), leases.claim("w")):
            leases.finish(match, played(match))
        leases.claim("w")  # is being played
        if cup is paused:
            services.pause(cup)
            break
        Match.objects.filter(state=State.QUEUED).update(state=State.HELD)  # out of the way of the next
    running.matches.filter(state=State.HELD).update(state=State.QUEUED)
    for cup in (draft, running, paused):
        cup.refresh_from_db()
    return draft, running, paused


@pytest.fixture
def waiting(four, cups, competition, user):
    """Matches outside of tournaments: queued, being played, and one that tries a submission."""
    queueing.queue(competition, Match.Kind.LADDER, Match.Queue.INTERACTIVE, four)
    leases.claim("w", [Match.Queue.INTERACTIVE])
    queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, four)
    qualification.start(submit(user, competition, "Vera", SubmissionState.BUILT))


def reader(who, user, organizer):
    """Their browser. ada has bots, sam may view everything in the admin, olga may organize tournaments."""
    if who == "anybody":
        return Client()
    if who in ("sam", "olga"):
        person = User.objects.create_user(who, is_staff=who == "sam")
        if who == "sam":
            person.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
        else:
            person.groups.add(Group.objects.get(name="Organizers"))
        return browser_of(person)
    return browser_of({"ada": user, "orga": organizer}[who])


def everything(client, but=None):
    """Everything that can be reached by links and by the addresses of what there is: {address: answer}.

    but: what addresses that are left out have.
    """
    todo = ["/", "/admin/", *(f"/{table}/" for table in TABLES)]
    for match in Match.objects.all():
        address = match.get_absolute_url()
        todo += [
            address,
            f"{address}?part=match",
            f"{address}?raw=1",
            f"/admin/matches/match/{match.pk}/change/",
        ]
        todo += [f"{address}record.json", f"{address}log.json", f"{address}archive"]
    for cup in Tournament.objects.all():
        address = cup.get_absolute_url()
        todo += [address, f"{address}?part=progress", f"{address}archive"]
        todo += [
            f"/admin/tournaments/tournament/{cup.pk}/{page}/" for page in ("change", "delete", "history")
        ]
    return crawled(client, todo, but)


def told(answers, secrets):
    return [
        (address, secret)
        for address, body in answers.items()
        for secret in secrets
        if secret.encode() in body.lower()
    ]


def spellings(seed):
    return [str(seed), f"{seed:x}", f"{seed:,}"]


@pytest.mark.slow
@pytest.mark.parametrize("who", READERS)
def test_no_page_or_download_tells_a_seed_or_salt_before_the_end(cups, waiting, user, organizer, who):
    secret = [spelling for match in Match.objects.all() for spelling in spellings(match.seed)]
    secret += [spelling for cup in cups for spelling in (*spellings(cup.seed), cup.salt)]
    assert {match.state for match in Match.objects.all()} == set(State) - {State.VOID, State.WITHDRAWN}

    answers = everything(reader(who, user, organizer), but=ALIKE)

    assert len(answers) > 60
    # The form of a draft shows what its organizers typed, which decides nothing without the salt.
    assert [place for place in told(answers, secret) if not place[0].endswith("/edit")] == []
    promised = {address: body.decode(errors="replace") for address, body in answers.items()}
    for match in Match.objects.all():
        assert hashlib.sha256(str(match.seed).encode()).hexdigest() in promised[match.get_absolute_url()]
    for cup in cups[1:]:
        assert hashlib.sha256(cup.salt.encode()).hexdigest() in promised[cup.get_absolute_url()]


def test_a_record_of_a_running_tournament_is_whole_but_for_its_seed(cups):
    match = cups[1].matches.filter(state=State.FINISHED).first()
    shown = json.loads(Client().get(f"{match.get_absolute_url()}record.json").content)
    assert shown["seed"] is None
    with pytest.raises(BadRecord, match="withheld until the match's tournament is over"):
        from_json(json.dumps(shown))
    assert shown | {"seed": str(match.seed)} == json.loads(to_json(played(match).log.record))


def end(cups):
    for cup in cups[1:]:
        if cup.state == cup.State.PAUSED:
            services.resume(cup)
    Match.objects.filter(state=State.RUNNING).update(state=State.QUEUED)
    while match := leases.claim("w"):
        assert leases.finish(match, played(match))
    scheduling.tick()


@pytest.mark.exhaustive
def test_when_all_is_over_seeds_and_salts_are_shown_and_are_what_was_promised(
    cups, waiting, organizer, tmp_path
):
    _, running, paused = cups
    before = {cup.pk: page(cup) for cup in (running, paused)}
    waited = {match.pk: page(match) for match in Match.objects.all()}

    end(cups)

    for match in Match.objects.filter(pk__in=waited):
        assert f"<code>{match.seed}</code>" in page(match)
        assert hashlib.sha256(str(match.seed).encode()).hexdigest() in waited[match.pk]
        record = Client().get(f"{match.get_absolute_url()}record.json").content
        assert from_json(record).seed == match.seed
        archive = tmp_path / f"{match.pk}.zip"
        archive.write_bytes(b"".join(Client().get(f"{match.get_absolute_url()}archive").streaming_content))
        assert verify.verify(archive).differences == ()
    for cup in (running, paused):
        assert f"<code>{cup.salt}</code>" in page(cup)
        assert f"Seed {cup.seed}" in page(cup)
        promised = hashlib.sha256(cup.salt.encode()).hexdigest()
        assert promised in before[cup.pk]
        storing.make(cup)
        answer = browser_of(organizer).get(f"{cup.get_absolute_url()}archive")
        archive = tmp_path / f"cup {cup.pk}.zip"
        archive.write_bytes(b"".join(answer.streaming_content))
        report = verify.verify(archive)
        assert (report.matches, report.differences) == (4, ())
        assert report.notes[-1] == f"compare with what was published before the first match: {promised}"


def page(row):
    return Client().get(row.get_absolute_url()).content.decode()


def test_a_cancelled_tournament_shows_its_salt(cups):
    services.cancel(cups[1])
    assert f"<code>{cups[1].salt}</code>" in page(cups[1])


FIELDS = (
    "seed",
    "salt",
    "record",
    "tournament__seed",
    "tournament__salt",
    "matches__seed",
    "seats__match__seed",
)


@pytest.mark.parametrize("table", TABLES)
def test_staff_cannot_find_a_seed_by_filtering_for_its_beginning(table, cups, organizer):
    staff = browser_of(organizer)
    for field, lookup in product(FIELDS, ("startswith", "gte", "regex", "contains")):
        answer = staff.get(f"/{table}/?{field}__{lookup}=1")
        assert answer.status_code in (302, 400), (field, lookup, answer.status_code)
        assert "e=1" in answer.headers.get("Location", "e=1")


def test_a_match_that_is_played_again_after_a_failure_keeps_its_seed_a_secret(four, competition):
    queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, four)
    match = leases.claim("w")
    leases.fail(match, said("the engine is away"))
    assert str(match.seed) not in page(match)


def test_a_draft_is_there_for_those_alone_who_may_start_it(cups, organizer, signed_in):
    cup, *_ = cups
    address, places = cup.get_absolute_url(), ["/c/samurai/tournaments/", "/c/samurai/matches/"]
    for reader in (Client(), signed_in, browser_of(User.objects.create_user("carol"))):
        assert reader.get(address).status_code == 404
        assert reader.get(f"{address}?part=progress").status_code == 404
        assert not any("Draft cup" in reader.get(place).content.decode() for place in places)
    assert cup.commitment in browser_of(organizer).get(address).content.decode()
    assert "Draft cup" in browser_of(organizer).get(places[0]).content.decode()

    services.start(cup)  # now the submissions are frozen
    assert cup.commitment in page(cup)
    assert all("Draft cup" in Client().get(place).content.decode() for place in places)


def test_an_organizer_without_further_rights_sees_their_own_drafts(cups, four, competition, user):
    user.user_permissions.add(Permission.objects.get(codename="add_tournament"))
    own = services.create(
        user, competition, "Ada's cup", "rotations", 1, 7, [submission.bot for submission in four]
    )
    shown = browser_of(user).get("/c/samurai/tournaments/").content.decode()
    assert "Ada&#x27;s cup" in shown
    assert "Draft cup" not in shown
    assert browser_of(user).get(own.get_absolute_url()).status_code == 200
    assert browser_of(user).get(cups[0].get_absolute_url()).status_code == 404


def test_a_cancelled_draft_stays_what_it_was(cups, organizer, signed_in):
    services.cancel(cups[0])
    assert signed_in.get(cups[0].get_absolute_url()).status_code == 404
    assert browser_of(organizer).get(cups[0].get_absolute_url()).status_code == 200


def test_the_seed_that_the_form_proposes_is_drawn(organizer, four):
    desk = browser_of(organizer)
    proposed = {desk.get("/c/samurai/tournaments/new/").context["form"]["seed"].value() for _ in range(3)}
    assert len(proposed) == 3
    assert all(0 <= seed < 1 << 31 for seed in proposed)
