"""Who may see programs, matches and standard error of a competition, as its organizers have set it."""

import re

import pytest
from django.core.files.base import ContentFile
from django.test import Client

from agon.site.accounts.models import User
from agon.site.archives import storing
from agon.site.bots.models import Bot, Submission
from agon.site.competitions import organizing, visibility
from agon.site.competitions.models import Competition
from agon.site.competitions.settings import Records, Sources, Stderr
from agon.site.competitions.visibility import Audience, Subject
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from agon.site.teams import services as teams
from agon.site.tokens.services import issue
from agon.site.tournaments import scheduling, services
from agon.site.tournaments.models import Tournament
from agon.site.use_cases.teams import close as close_team
from tests.agon.site.competitions.test_organizing import FORM, change, opened
from tests.agon.site.web.conftest import browser_of
from tests.support.crawling import crawled
from tests.support.factories import activate, duel, submit
from tests.support.reruns import play

pytestmark = pytest.mark.django_db
SECRET = b"print('the secret of Rita')\n"


@pytest.fixture
def rps(olga) -> Competition:
    """A competition that olga runs."""
    made = Competition.objects.create(slug="rps", game="honest_rps", title="Honest RPS")
    made.organizers.create(user=olga)
    return made


@pytest.fixture
def seats(rps, user, bob) -> list[Submission]:
    """Rita, ada's, and Sue, bob's; their programs are kept."""
    submissions = [*activate(user, rps, ["Rita"]), *activate(bob, rps, ["Sue"])]
    for submission in submissions:
        submission.source.save("bot.py", ContentFile(SECRET))
        submission.filename = "bot.py"
        submission.save()
    return submissions


@pytest.fixture
def readers(user, bob, olga, db) -> dict[str, Client]:
    """author: of Rita. rival: of Sue. other: of neither, with an account."""
    outsider = User.objects.create_user("eve")
    people = {"author": user, "rival": bob, "other": outsider, "organizer": olga}
    return {"stranger": Client()} | {name: browser_of(person) for name, person in people.items()}


def played(seats: list[Submission]) -> Match:
    queueing.queue(seats[0].bot.competition, Match.Kind.LADDER, Match.Queue.INTERACTIVE, seats, seed=1)
    claimed = leases.claim("w")
    assert leases.finish(claimed, duel(claimed, ["Rita", "Sue"]))
    return Match.objects.get(pk=claimed.pk)


def set_to(rps: Competition, olga: User, **values: str) -> None:
    Competition.objects.filter(pk=rps.pk).update(**values)


def close(rps: Competition, olga: User) -> None:
    organizing.set_state(rps, Competition.State.CLOSED, olga, "It is over.")


def who(readers: dict[str, Client], path: str) -> set[str]:
    answers = {name: reader.get(path).status_code for name, reader in readers.items()}
    assert set(answers.values()) <= {200, 404}
    return {name for name, status in answers.items() if status == 200}


class TestTable:
    def test_it_names_every_choice_and_no_other(self):
        choices = {
            (subject, value)
            for subject, known in zip(Subject, (Sources, Records, Stderr), strict=True)
            for value in known.values
        }
        assert set(visibility.TABLE) == choices

    def test_what_it_does_not_know_is_for_organizers(self):
        assert visibility.audience(Subject.RECORDS, "friends", is_open=False) is Audience.ORGANIZERS

    @pytest.mark.parametrize(
        ("subject", "old", "new", "gives"),
        [
            (Subject.SOURCES, "author", "closed", True),
            (Subject.SOURCES, "closed", "author", False),
            (Subject.STDERR, "author", "closed", True),
            (Subject.RECORDS, "organizers", "all", False),
        ],
    )
    def test_what_authors_have_entrusted_is_not_given_away(self, subject, old, new, gives):
        assert visibility.gives_away(subject, old, new) is gives


class TestSources:
    PAGES = ("code/", "source")

    def test_by_default_they_are_their_authors(self, rps, seats, readers, olga):
        played(seats)
        close(rps, olga)
        for page in self.PAGES:
            assert who(readers, f"/submissions/{seats[0].pk}/{page}") == {"author"}

    def test_they_can_be_everyones_once_the_competition_is_closed(self, rps, seats, readers, olga):
        set_to(rps, olga, sources="closed")
        for page in self.PAGES:
            assert who(readers, f"/submissions/{seats[0].pk}/{page}") == {"author"}
        assert "everyone may read the programs" in readers["other"].get("/c/rps/submit/").content.decode()
        close(rps, olga)
        for page in self.PAGES:
            assert who(readers, f"/submissions/{seats[0].pk}/{page}") == set(readers)
        assert (
            f"/submissions/{seats[0].pk}/code/" in Client().get(f"/bots/{seats[0].bot_id}/").content.decode()
        )
        headers = {"authorization": f"Bearer {issue(User.objects.get(username='eve'), 't', ['read'])[1]}"}
        answer = Client().get(f"/api/v1/submissions/{seats[0].pk}/source", headers=headers)
        assert b"".join(answer) == SECRET
        assert who(readers, f"/submissions/{seats[0].pk}/") == {"author"}  # with its build log

    def test_neither_rejected_versions_nor_deleted_bots_nor_those_of_closed_accounts(
        self, rps, seats, readers, olga, user, bob
    ):
        set_to(rps, olga, sources="closed")
        rejected = submit(user, rps, "Rita", "rejected")
        rejected.source.save("bot.py", ContentFile(SECRET))
        rejected.save()
        close(rps, olga)
        Bot.objects.filter(name="Sue").update(state="deleted", active=None)
        assert who(readers, f"/submissions/{rejected.pk}/code/") == {"author"}
        assert who(readers, f"/submissions/{seats[1].pk}/code/") == {"rival"}
        assert (
            f'value="{rejected.number}"'
            not in Client().get(f"/submissions/{seats[0].pk}/diff/").content.decode()
        )
        User.objects.filter(pk=user.pk).update(is_active=False)
        assert Client().get(f"/submissions/{seats[0].pk}/code/").status_code == 404

    def test_those_of_a_team_are_everyones_as_well_until_the_team_is_closed(
        self, rps, seats, readers, olga, user
    ):
        team = teams.create("Quokkas", user)
        Bot.objects.filter(name="Rita").update(owner=team.account)
        set_to(rps, olga, sources="closed")
        close(rps, olga)
        path = f"/submissions/{seats[0].pk}/code/"
        assert who(readers, path) == set(readers)
        close_team(team, user)
        assert who(readers, path) == set()

    def test_they_cannot_be_opened_after_authors_have_entered(self, desk):
        competition = opened(desk)
        for field in ("sources", "stderr"):
            answer = change(desk, competition, **{field: "closed"})
            assert answer.status_code == 422
            assert "cannot show more" in answer.context["form"].errors[field][0]
        change(desk, competition, records="played")
        assert Competition.objects.get(pk=competition.pk).records == "played"
        page = Client().get("/c/spring-cup/changes/").content.decode()
        assert "those whose bots played in them" in page

    def test_a_value_that_is_none_is_refused(self, desk):
        answer = desk.post("/competitions/new/", FORM | {"records": "friends"})
        assert answer.status_code == 422
        assert "friends" in answer.context["form"].errors["records"][0]


class TestMatches:
    PAGES = ("", "record.json", "log.json", "archive")
    FOR_ALL = ("embed/", "picture.png")  # the same for all readers, whatever their cookies

    @pytest.mark.first(1)
    @pytest.mark.parametrize(
        ("records", "while_open", "once_closed"),
        [
            pytest.param(
                "all",
                {"stranger", "other", "author", "rival"},
                {"stranger", "other", "author", "rival"},
                marks=pytest.mark.exhaustive,
            ),
            ("played", {"author", "rival"}, {"author", "rival"}),
            ("organizers", set(), {"stranger", "other", "author", "rival"}),
        ],
    )
    def test_their_pages_and_files(self, rps, seats, readers, olga, records, while_open, once_closed):
        match = played(seats)
        set_to(rps, olga, records=records)
        for closed, expected in ((False, while_open), (True, once_closed)):
            if closed:
                close(rps, olga)
            for page in self.PAGES:
                assert who(readers, f"/matches/{match.pk}/{page}") == expected | {"organizer"}
            everyone = set(readers) if "stranger" in expected else set()
            for page in self.FOR_ALL:
                assert who(readers, f"/matches/{match.pk}/{page}") == everyone
            listed = {
                name
                for name, reader in readers.items()
                if f"/matches/{match.pk}/" in reader.get("/c/rps/matches/").content.decode()
            }
            assert listed == expected | {"organizer"}
            items = Client().get("/api/v1/matches?competition=rps").json()["items"]
            assert bool(items) is ("stranger" in expected)
            for path in ("", "/record", "/log", "/archive"):
                status = Client().get(f"/api/v1/matches/{match.pk}{path}").status_code
                assert (status == 200) is ("stranger" in expected)

    def test_an_author_sees_the_qualification_of_their_own_bot(self, rps, seats, readers, olga, user):
        set_to(rps, olga, records="organizers")
        failed = submit(user, rps, "Zoe")
        queueing.queue(
            rps, Match.Kind.QUALIFICATION, Match.Queue.INTERACTIVE, [failed, seats[1]], qualifies=failed
        )
        claimed = leases.claim("w")
        assert leases.finish(claimed, duel(claimed, ["Zoe"]))
        assert who(readers, f"/matches/{claimed.pk}/") == {"author", "organizer"}

    @pytest.mark.exhaustive
    @pytest.mark.parametrize("records", ["played", "organizers"])
    def test_a_stranger_who_follows_every_link_finds_no_match(self, rps, seats, olga, bob, records):
        bots = [seat.bot for seat in seats]
        cup = services.create(olga, rps, "Cup", "round_robin", 1, 1, bots)
        services.start(cup, olga)
        play(["Rita", "Sue"])
        scheduling.tick()
        cup = Tournament.objects.get(pk=cup.pk)
        storing.make(cup)
        match = played(seats)
        set_to(rps, olga, records=records)

        numbers = [match.pk, *cup.matches.values_list("pk", flat=True)]
        parts = ("", "record.json", "log.json", "debug.json", "live.json", "archive", "embed/", "picture.png")
        starts = [f"/matches/{number}/{part}" for number in numbers for part in parts]
        starts += [f"/oembed/?url=http://testserver/matches/{number}/" for number in numbers]
        starts += [
            f"/tournaments/{cup.pk}/archive",
            f"/tournaments/{cup.pk}/",
            "/c/rps/",
            "/c/rps/tv/",
            "/tv/",
        ]
        starts += [f"/tournaments/{cup.pk}/tv/", *(f"/bots/{bot.pk}/" for bot in bots)]
        answers = crawled(Client(), ["/", *starts])
        assert len(answers) > len(starts) + 5
        for address in starts:
            if address.startswith(("/matches", "/oembed")) or address.endswith("archive"):
                assert answers[address].startswith(b"404"), address
        told = re.compile(rb"/matches/(%s)/" % b"|".join(str(number).encode() for number in numbers))
        assert [path for path, body in answers.items() if body[:3] == b"200" and told.search(body)] == []
        answer = Client().get(f"/api/v1/tournaments/{cup.pk}/archive")
        assert answer.status_code == 404

    def test_a_tournament_archive_is_there_for_organizers_and_after_the_end(self, rps, seats, olga, readers):
        cup = services.create(olga, rps, "Cup", "round_robin", 1, 1, [seat.bot for seat in seats])
        services.start(cup, olga)
        play(["Rita", "Sue"])
        scheduling.tick()
        cup = Tournament.objects.get(pk=cup.pk)
        storing.make(cup)
        set_to(rps, olga, records="organizers")
        assert who(readers, f"/tournaments/{cup.pk}/archive") == {"organizer"}
        close(rps, olga)
        assert who(readers, f"/tournaments/{cup.pk}/archive") == set(readers)


class TestStandardError:
    def test_it_can_be_everyones_once_the_competition_is_closed(self, rps, seats, readers, olga):
        match = played(seats)
        seat = match.seats.get(submission=seats[0])
        recording = seat.match.recording
        assert recording is not None
        address = f"/matches/{match.pk}/debug.json"
        set_to(rps, olga, stderr="closed")
        assert who(readers, address) == {"author", "rival"}  # each their own
        close(rps, olga)
        assert who(readers, address) == set(readers)
        set_to(rps, olga, records="played")
        assert who(readers, address) == {"author", "rival", "organizer"}
