"""Formats in the browser: their settings on the form, and rounds, brackets, byes, and files on the page."""

import pytest
from django.utils.html import escape

from agon.contest.formats import FORMATS
from agon.site.competitions.models import Competition
from agon.site.matches import leases
from agon.site.tournaments import scheduling, services
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.states import State
from tests.support.factories import active_bots, duel, played

from .conftest import browser_of

NEW = "/c/rps/tournaments/new/"
NAMES = ["Ada", "Bea", "Cleo", "Dora", "Eva"]


@pytest.fixture
def desk(organizer):
    return browser_of(organizer)


@pytest.fixture
def rps(db):
    return Competition.objects.create(slug="rps", game="honest_rps", title="Honest RPS")


@pytest.fixture
def bots(user, rps):
    return active_bots(user, rps, NAMES)


@pytest.fixture
def finished(user, rps, bots):
    def finished(format, rounds=1, **chosen):
        cup = services.create(user, rps, "Cup", format, rounds, 1, bots, chosen)
        services.start(cup)
        while cup.state == State.RUNNING:
            while (match := leases.claim("w")) is not None:
                leases.finish(match, duel(match, NAMES))
            scheduling.tick()
            cup.refresh_from_db()
        return cup

    return finished


def text(client, address):
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def test_the_form_offers_every_format_that_fits_and_says_what_it_guarantees(desk, bots):
    offered = [name for name, _title in desk.get(NEW).context["form"].fields["format"].choices]
    assert offered == [name for name, format in FORMATS.items() if format.least_seats <= 2]
    for name in offered:
        part = text(desk, f"{NEW}?part=settings&format={name}")
        assert escape(FORMATS[name].guarantee) in part
        assert ('name="rounds"' in part) == FORMATS[name].takes_rounds
        for setting in FORMATS[name].settings:
            elsewhere = ("no_rematches", "seeding")  # for more than two seats; chosen with the order of entry
            assert (f'name="setting-{setting.name}"' in part) == (setting.name not in elsewhere)


def test_what_was_chosen_is_kept_when_the_format_changes(desk, bots):
    part = text(desk, f"{NEW}?part=settings&format=double_elimination&setting-best_of=7&rounds=3")
    assert 'value="7"' in part


def test_the_settings_are_those_of_the_tournament(desk, bots):
    filled = {"name": "Cup", "format": "single_elimination", "seed": "1", "bots": [bot.pk for bot in bots]}
    filled |= {"setting-best_of": "5", "order": "lot", "setting-third": "no"}

    assert "About 16 matches, at most 44" in text(desk, f"{NEW}estimate/?{query(filled)}")
    desk.post(NEW, filled)

    cup = Tournament.objects.get()
    assert cup.format_settings == {"best_of": 5, "seeding": "lot", "equal": "lot", "third": False}
    assert "Best of: 5" in text(desk, cup.get_absolute_url())


def query(filled):
    return "&".join(
        f"{name}={item}"
        for name, value in filled.items()
        for item in (value if isinstance(value, list) else [value])
    )


@pytest.mark.parametrize(
    ("field", "value"),
    [("setting-best_of", "0"), ("setting-best_of", "many"), ("order", "fate"), ("rounds", "9")],
)
def test_a_setting_that_cannot_be_is_said_at_its_field(desk, bots, field, value):
    format = "swiss" if field == "rounds" else "single_elimination"
    filled = {"name": "Cup", "format": format, "seed": "1", "bots": [bot.pk for bot in bots], field: value}
    answer = desk.post(NEW, filled)
    assert answer.status_code == 422
    assert set(answer.context["form"].errors) == {field}


@pytest.mark.parametrize(("order", "expected"), [("hand", "EDCBA"), ("listed", "ABCDE"), ("", "ABCDE")])
def test_the_order_of_entry_is_chosen(desk, bots, order, expected):
    filled = {"name": "Cup", "format": "swiss", "rounds": "2", "seed": "1", "order": order}
    filled |= {"bots": [bot.pk for bot in bots]}
    filled |= {f"place-{bot.pk}": str(9 - number) for number, bot in enumerate(bots)}
    desk.post(NEW, filled)
    entered = Tournament.objects.get().entrants.values_list("bot__name", flat=True)
    assert "".join(name[0] for name in entered) == expected


@pytest.mark.parametrize(
    ("order", "seeding"),
    [("", "rating"), ("rating", "rating"), ("lot", "lot"), ("listed", "order"), ("hand", "order")],
)
def test_a_seeding_is_chosen_with_the_order_of_entry_and_is_by_rating_otherwise(desk, bots, order, seeding):
    filled = {"name": "Cup", "format": "swiss", "rounds": "2", "seed": "1", "order": order}
    desk.post(NEW, filled | {"bots": [bot.pk for bot in bots]})
    assert Tournament.objects.get().format_settings["seeding"] == seeding


def test_where_nothing_is_seeded_no_seeding_is_offered(desk, bots):
    part = text(desk, f"{NEW}?part=settings&format=round_robin")
    assert "Order of entry" in part
    assert "by lot" not in part


def test_a_bracket_shows_every_tie_with_its_matches(client, finished):
    cup = finished("single_elimination")
    page = text(client, cup.get_absolute_url())

    for words in ("Main bracket", "Quarterfinals", "Semifinals", "Final", "Match for third place", "bye"):
        assert words in page
    for match in cup.matches.all():
        assert f'id="pairing-match-{match.pk}"' in page
    assert page.count("(winner)") == 4 + 2 + 1 + 1


def test_a_double_elimination_shows_its_parts(client, finished):
    page = text(client, finished("double_elimination").get_absolute_url())
    for words in ("Main bracket", "Lower bracket", '<h2 id="chart-3">Final</h2>'):
        assert words in page


def test_groups_show_their_tables_before_the_knock_out(client, finished):
    page = text(client, finished("groups", groups=2, advance=2).get_absolute_url())
    for words in ("Group 1", "Group 2", "Main bracket", "Pairings won"):
        assert words in page


@pytest.mark.parametrize(("entrants", "rounds"), [(2, 1), (3, 2), (4, 2), (5, 3)])
def test_a_swiss_without_a_number_of_rounds_has_as_many_as_leave_one_unbeaten(desk, bots, entrants, rounds):
    filled = {"name": "Cup", "format": "swiss", "rounds": "", "seed": "1"}
    filled |= {"bots": [bot.pk for bot in bots[:entrants]]}

    words = "1 round" if rounds == 1 else f"{rounds} rounds"
    assert f"· {words}\n" in text(desk, f"{NEW}estimate/?{query(filled)}")
    desk.post(NEW, filled)

    assert Tournament.objects.get().rounds == rounds


def test_a_chosen_number_of_rounds_of_a_swiss_is_kept(desk, bots):
    part = text(desk, f"{NEW}?part=settings&format=swiss&rounds=4")
    assert 'value="4"' in part
    original = desk.get(NEW).context["form"].initial["rounds"]
    part = text(desk, f"{NEW}?part=settings&format=swiss&rounds={original}")  # another format filled it in
    assert "Empty: as many as leave one entrant unbeaten, decided at the start." in part
    assert 'value="' not in part.partition('name="rounds"')[2].partition(">")[0]
    part = text(desk, f"{NEW}?part=settings&format=round_robin&rounds=")
    assert f'value="{original}"' in part


def test_groups_of_forty_do_not_keep_the_hundred_rounds_of_the_original_contest(desk, user, rps):
    field = active_bots(user, rps, [f"entrant{number}" for number in range(40)])
    filled = {"name": "Cup", "format": "groups", "rounds": "", "seed": "1", "setting-groups": "8"}
    filled |= {"bots": [bot.pk for bot in field]}

    page = text(desk, f"{NEW}estimate/?{query(filled)}")
    assert "· 5 rounds\n" in page  # eight matches a round for each of the five in a group
    desk.post(NEW, filled)

    assert Tournament.objects.get().rounds == 5


def test_other_formats_need_a_number_of_rounds(desk, bots):
    filled = {"name": "Cup", "format": "round_robin", "rounds": "", "seed": "1"}
    answer = desk.post(NEW, filled | {"bots": [bot.pk for bot in bots]})
    assert set(answer.context["form"].errors) == {"rounds"}


def test_a_game_of_four_seats_has_no_match_for_third_place(desk, competition):
    for format, there, missing in [
        ("single_elimination", "best_of", "third"),
        ("swiss", "no_rematches", "best_of"),
    ]:
        part = text(desk, f"/c/{competition.slug}/tournaments/new/?part=settings&format={format}")
        assert f'name="setting-{there}"' in part
        assert f'name="setting-{missing}"' not in part


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("format", "chosen", "going_on"),
    [("single_elimination", {}, 3 + 2 * 2), ("groups", {"advance": 3}, 2)],  # of 9, then 8; of 6
)
def test_a_knock_out_of_a_game_of_four_seats_shows_its_tables(
    client, user, competition, format, chosen, going_on
):
    bots = active_bots(user, competition, [*NAMES, "Fay", "Gil", "Hal", "Ivy"])
    cup = services.create(user, competition, "Cup", format, 1, 1, bots, chosen)
    services.start(cup)
    while cup.state == State.RUNNING:
        while (match := leases.claim("w")) is not None:
            leases.finish(match, played(match))
        scheduling.tick()
        cup.refresh_from_db()

    page = text(client, cup.get_absolute_url())
    for words in ("Main bracket", "Stage 1", "<h3>Final</h3>", "bye", "Tables"):
        assert words in page
    for match in cup.matches.filter(round__gt=0 if format == "groups" else -1):
        assert f'id="pairing-match-{match.pk}"' in page
    assert page.count("(winner)") == 1
    assert page.count("(advances)") == going_on


def test_a_swiss_shows_rounds_and_byes_and_can_be_exported(client, finished):
    cup = finished("swiss", rounds=3, seeding="order")
    page = text(client, cup.get_absolute_url())
    for words in ("Round 3", "Bye:", "Buchholz", "Sonneborn-Berger"):
        assert words in page

    answer = client.get(f"/tournaments/{cup.pk}/trf")
    lines = answer.content.decode().split("\r\n")
    assert "062 5" in lines
    [ada] = [line for line in lines if line.startswith("001    1")]
    assert ada[14:47].rstrip() == "Ada"
    assert ada[80:84] == " 3.0"
    assert ada[85:89] == "   1"
    assert len(ada) == 99 + 2 * 10
    assert ada[98] == "1"


def test_only_a_swiss_has_a_trf_file(client, finished):
    assert client.get(f"/tournaments/{finished('single_elimination').pk}/trf").status_code == 404


def test_a_trf_file_of_three_rounds_column_by_column(client, finished):
    """Read back by the positions of FIDE's table: opponent, color, and result of each round."""
    cup = finished("swiss", rounds=3, seeding="order")
    lines = client.get(f"/tournaments/{cup.pk}/trf").content.decode().split("\r\n")
    players = [line for line in lines if line.startswith("001")]
    assert len(players) == 5
    for number, line in enumerate(players, start=1):
        for round in range(3):
            cell = line[91 + 10 * round : 99 + 10 * round]
            opponent, color, result = cell.split()
            if opponent == "0000":
                assert (color, result) == ("-", "U")
                continue
            back = players[int(opponent) - 1][91 + 10 * round : 99 + 10 * round].split()
            assert int(back[0]) == number
            assert {color, back[1]} == {"w", "b"}
            assert {result, back[2]} == {"1", "0"}


def test_a_knock_out_says_how_many_matches_are_likely_and_at_the_end_how_many_there_were(
    desk, user, rps, bots
):
    cup = services.create(user, rps, "Cup", "single_elimination", 1, 1, bots)
    assert "About 13 matches, at most 45" in text(desk, cup.get_absolute_url())
    services.start(cup)
    assert "0 of about 13 matches" in text(desk, cup.get_absolute_url())
    while cup.state == State.RUNNING:
        while (match := leases.claim("w")) is not None:
            leases.finish(match, duel(match, NAMES))
        scheduling.tick()
        cup.refresh_from_db()
    assert cup.matches.count() == 10
    assert "10 of 10 matches" in text(desk, cup.get_absolute_url())
    assert (cup.total, cup.expected) == (10, None)


def test_a_knock_out_shows_its_bracket_first_marks_ones_own_path_and_folds_the_standings(
    client, desk, finished, user
):
    cup = finished("single_elimination")
    page = text(client, cup.get_absolute_url())
    assert page.index("Main bracket") < page.index('id="standings-fold"')
    assert "(yours)" not in page
    own = browser_of(user)
    page = text(own, cup.get_absolute_url())
    assert 'class="side won own"' in page
    assert 'class="side own"' in page  # all are the user's, those that lost too
    assert 'id="standings-fold"' not in text(client, finished("swiss", rounds=3).get_absolute_url())
