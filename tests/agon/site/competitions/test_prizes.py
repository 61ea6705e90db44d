"""Prizes of a competition: written by organizers, and beside the ranks of the tournament that awards them."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from agon.site.accounts.models import User
from agon.site.audit.models import Act
from agon.site.bots.models import Bot
from agon.site.competitions import prizes
from agon.site.competitions.models import Competition, CompetitionDraft
from agon.site.competitions.prizes import Prize
from agon.site.tokens.services import issue
from agon.site.tournaments import running, scheduling, services
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.services import Start
from tests.agon.site.competitions.test_organizing import FORM, change, draft, opened
from tests.agon.site.web.conftest import browser_of
from tests.support.factories import active_bots
from tests.support.reruns import NAMES, play

pytestmark = pytest.mark.django_db
LINES = "2–3: A book\n\n1: A cup, and  500 €: both"


def read(path: str, reader: Client | None = None) -> str:
    answer = (reader or Client()).get(path)
    assert answer.status_code == 200
    return answer.content.decode()


def cup_of(competition: Competition, olga: User, user: User, name: str = "Final", release="public"):
    """A round robin that was played: a is before b and c."""
    bots = active_bots(user, competition, [f"{name}-{submission}" for submission in NAMES])
    starts = Start(release=release)
    made = services.create(olga, competition, name, "round_robin", 1, 1, bots, starts=starts)
    services.start(made, olga)
    play([f"{name}-{entrant}" for entrant in NAMES])
    scheduling.tick()
    return Tournament.objects.get(pk=made.pk)


def award(desk: Client, cup: Tournament, awards: str = "yes"):
    sent = {"act": "awards", "awards": awards, "reason": "It is the final."}
    return desk.post(f"/tournaments/{cup.pk}/organize", sent)


def won(cup: Tournament) -> dict[str, list[str]]:
    rows = Client().get(f"/api/v1/tournaments/{cup.pk}/standings").json()
    return {row["name"].rpartition("-")[2]: row["prizes"] for row in rows}


class TestWriting:
    def test_they_are_on_the_pages_of_the_competition_in_the_order_of_places(self, desk):
        opened(desk, prizes=LINES)
        for path in ("/c/spring-cup/", "/c/spring-cup/rules/"):
            page = read(path)
            assert page.index("A cup, and 500 €: both") < page.index("A book")
        shown = Client().get("/api/v1/competitions/spring-cup").json()["prizes"]
        assert [prize["places"] for prize in shown] == ["1", "2-3"]
        form = desk.get("/c/spring-cup/settings/").context["form"]
        assert form["prizes"].value() == "1: A cup, and 500 €: both\n2-3: A book"

    @pytest.mark.first(4)
    @pytest.mark.parametrize(
        ("given", "words"),
        [
            ("A cup", "Line 1: expected places and a prize"),
            ("1: A cup\n2 A book", "Line 2: expected places and a prize"),
            ("1:", "Line 1"),
            ("first: A cup", "Line 1"),
            ("0: A cup", "places from 1 to 1000"),
            ("3-2: A cup", "places from 1 to 1000"),
            ("1001: A cup", "places from 1 to 1000"),
            ("99999: A cup", "Line 1"),
            ("1-3: A cup\n2: A book", "Place 2 gets two prizes"),
            ("1: A\u202ecup", "no control characters"),
            ("1: \u200b", "visible letters"),
            ("1: " + "x" * 201, "At most 200 characters"),
            ("\n".join(f"{place}: x" for place in range(1, 52)), "At most 50 prizes"),
            ("1: A\0cup", "Null characters"),
        ],
    )
    def test_what_is_wrong_is_said_beside_the_field_and_nothing_is_kept(self, desk, given, words):
        answer = desk.post("/competitions/new/", FORM | {"prizes": given})
        assert answer.status_code == 422
        assert any(words in error for error in answer.context["form"].errors["prizes"])
        assert not CompetitionDraft.objects.exists()

    @pytest.mark.parametrize(
        "given", ["1: A cup", [["1", "A cup"]], [{"places": 1, "text": "A cup"}], [{"places": "1"}], [None]]
    )
    def test_a_file_with_others_is_refused(self, desk, given):
        made = draft(desk)
        values = made.settings | {"prizes": given}
        headers = {
            "authorization": f"Bearer {issue(User.objects.get(username='olga'), 't', ['organize'])[1]}"
        }
        answer = Client().post("/api/v1/drafts", values, content_type="application/json", headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
        assert all(error["pointer"].startswith("/prizes") for error in answer.json()["errors"])

    def test_exported_imported_and_exported_again_the_bytes_are_equal(self, desk):
        opened(desk, prizes=LINES)
        first = desk.get("/c/spring-cup/settings/export.zip").content
        Competition.objects.update(slug="old", title="Old")
        desk.post("/competitions/import/", {"file": SimpleUploadedFile("any.zip", first)})
        made = CompetitionDraft.objects.get()
        assert made.settings["prizes"][1] == {"places": "2-3", "text": "A book"}
        desk.post(f"/competitions/drafts/{made.pk}/open/")
        assert desk.get("/c/spring-cup/settings/export.zip").content == first

    def test_a_change_needs_a_reason_and_entrants_see_old_and_new(self, desk):
        competition = opened(desk, prizes="1: A cup")
        assert change(desk, competition, prizes="1: A mug", why="").status_code == 422
        change(desk, competition, prizes="1: A mug", why="The cup broke.")
        page = read("/c/spring-cup/changes/")
        assert all(words in page for words in ("1: A cup", "1: A mug", "The cup broke."))


class TestAwarding:
    @pytest.fixture
    def rps(self, desk) -> Competition:
        return opened(desk, prizes="1: A cup\n2-3: A book")

    def test_they_stand_beside_the_ranks_of_the_tournament_that_is_named(self, desk, rps, olga, user):
        cup, second_cup = cup_of(rps, olga, user), cup_of(rps, olga, user, "Other")
        assert won(cup) == {"a": [], "b": [], "c": []}
        award(desk, cup)
        assert won(cup)["a"] == ["A cup"]
        assert won(second_cup) == {"a": [], "b": [], "c": []}
        page = read(cup.get_absolute_url())
        assert page.count('won-prize">A cup') == 1
        assert page.count('won-prize">A book') == 2
        assert 'won-prize">' not in read(second_cup.get_absolute_url())
        assert f'id="awarding" href="{cup.get_absolute_url()}"' in read("/c/spring-cup/")

    def test_nobody_has_won_before_the_results_are_released_to_everyone(self, desk, rps, olga, user):
        cup = cup_of(rps, olga, user, release="entrants")
        award(desk, cup)
        for reader in (Client(), desk, browser_of(user)):
            assert 'won-prize">' not in read(cup.get_absolute_url(), reader)
        running.release(cup, "public", olga)
        assert 'won-prize">A cup' in read(cup.get_absolute_url())

    def test_the_projector_shows_them_place_by_place_and_none_before_its_place(self, desk, rps, olga, user):
        cup = cup_of(rps, olga, user, release="organizers")
        award(desk, cup)
        stage = f"/tournaments/{cup.pk}/resolver/"
        assert 'won-prize">' not in read(stage)
        assert 'won-prize">A book' in read(f"{stage}presenter", desk)  # who presents knows what comes
        for shown, books, cups in ((0, 1, 0), (1, 2, 0), (2, 2, 1)):
            desk.post(f"{stage}next", {"shown": str(shown)})
            page = read(stage)
            assert page.count('won-prize">A book') == books
            assert page.count('won-prize">A cup') == cups == page.count(", A cup")
        award(desk, cup, "no")
        assert 'won-prize">' not in read(stage)

    def test_naming_another_one_takes_them_from_the_first_and_both_logs_say_so(self, desk, rps, olga, user):
        first, second = cup_of(rps, olga, user), cup_of(rps, olga, user, "Second")
        for cup in (first, second, second):
            award(desk, cup)
        acts = Act.objects.filter(verb__in=("award", "no award")).order_by("pk")
        assert [(act.verb, act.tournament) for act in acts] == [
            ("award", first),
            ("no award", first),
            ("award", second),
        ]
        assert {act.reason for act in acts} == {"It is the final."}
        assert (won(first)["a"], won(second)["a"]) == ([], ["A cup"])
        assert "named the tournament that awards the prizes" in read("/c/spring-cup/changes/")
        award(desk, second, "no")
        assert not Tournament.objects.filter(awards=True).exists()

    def test_a_disqualified_bot_and_a_house_bot_win_nothing(self, desk, rps, olga, user):
        cup = cup_of(rps, olga, user)
        Bot.objects.filter(name="Final-a").update(house=True)
        award(desk, cup)
        assert won(cup) == {"a": [], "b": ["A book"], "c": ["A book"]}

    def test_only_those_who_run_it_name_it_and_no_cancelled_one(self, desk, rps, olga, user, bob):
        cup = cup_of(rps, olga, user)
        assert award(browser_of(bob), cup).status_code == 404
        bots = [entrant.bot for entrant in cup.entrants.select_related("bot")]
        draft_of = services.create(olga, rps, "Draft", "round_robin", 1, 1, bots)
        services.cancel(draft_of, olga)
        award(desk, draft_of)
        assert not Tournament.objects.filter(awards=True).exists()

    def test_by_program(self, rps, olga, user):
        cup = cup_of(rps, olga, user)
        headers = {"authorization": f"Bearer {issue(olga, 'test', ['read', 'organize'])[1]}"}
        answer = Client().post(
            f"/api/v1/tournaments/{cup.pk}/awards",
            json.dumps({"awards": True, "reason": "Final."}),
            content_type="application/json",
            headers=headers,
        )
        assert answer.json()["awards"] is True
        assert won(cup)["a"] == ["A cup"]


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ([1, 2, 3, 4], {1: ["gold"], 2: ["book"], 3: ["book"], 4: []}),
        ([1, 1, 3], {1: ["gold", "book"], 3: ["book"]}),  # two share the prizes of places 1 and 2
        ([1, 2, 2, 2], {1: ["gold"], 2: ["book"]}),
        ([], {}),
    ],
)
def test_those_who_tie_share_the_prizes_of_their_places(ranks, expected):
    given = (Prize(1, 1, "gold"), Prize(2, 3, "book"))
    by_rank = prizes.of_ranks(given, ranks)
    assert {rank: [prize.text for prize in shared] for rank, shared in by_rank.items()} == expected
