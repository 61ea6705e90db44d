"""Makes URLs of every kind of page of a crowded site, for benchmarks/pages.py."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse

from agon.site.bots.models import Bot, Submission
from agon.site.comparisons.models import Comparison
from agon.site.matches.models import Match
from agon.site.tournaments.models import Tournament
from agon.site.trials.models import Trial
from benchmarks.crowded import Crowded
from benchmarks.crowded_bots import Place

# Pages that not everyone may see. All of Django's admin is for staff, too.
OF_ORGANIZERS = ("tournament_new", "tournament_estimate", "tournament_rerun", "tournament_logs")
OF_AUTHORS = {"submission", "submission progress", "submission_source", "submission_code"}
OF_AUTHORS |= {"submission_diff", "comparison", "bot_rename"}
OF_ONE_AUTHOR = ("submission_compare", "trial", "trial_log", "trial_debug", "user_close")


def allowed_roles(page: str) -> tuple[str, ...]:
    """The roles that may request this page."""
    if page in OF_ORGANIZERS:
        return "organizer", "staff"
    if page in OF_AUTHORS:
        return "competitor", "staff"
    if page in OF_ONE_AUTHOR:
        return ("competitor",)
    if page == "operate" or page.startswith("admin "):
        return ("staff",)
    return "anonymous", "competitor", "organizer", "staff"


def _ids(rows: QuerySet[Any]) -> list[int]:
    return list(rows.values_list("pk", flat=True))


def pages(crowded: Crowded, rng: random.Random) -> dict[str, Callable[[], str]]:
    """For each kind of page, a function that makes a random URL of that kind."""
    own = _ids(Submission.objects.filter(bot__owner=crowded.people[0], number=5))
    own_bots = _ids(Bot.objects.filter(owner=crowded.people[0]))
    bots, house = _ids(Bot.objects.all()), _ids(Bot.objects.filter(house=True))
    cups = _ids(Tournament.objects.filter(started__isnull=False))
    swiss = _ids(Tournament.objects.filter(format="swiss", started__isnull=False))
    [largest] = _ids(Tournament.objects.order_by("-total")[:1])
    without_record = _ids(Match.objects.filter(recording=None).order_by("?")[:50])
    trial = Trial.objects.get(owner=crowded.people[0])
    comparisons = _ids(Comparison.objects.all())

    def place() -> Place:
        """A random competition: in half of the cases a large one, because most readers are there."""
        return rng.choice(crowded.places if rng.random() < 0.5 else crowded.places[:10])

    def of_place(name: str, *queries: str) -> Callable[[], str]:
        return lambda: reverse(name, args=[place().competition.slug]) + rng.choice(queries or ("",))

    def any_of(name: str, ids: list[int], query: str = "") -> Callable[[], str]:
        return lambda: reverse(name, args=[rng.choice(ids)]) + query

    def cup(name: str, query: str = "", ids: list[int] | None = None) -> Callable[[], str]:
        return lambda: reverse(name, args=[rng.choice(ids or [largest, rng.choice(cups)])]) + query

    def filtered() -> str:
        where = place()
        chosen = rng.choice(where.bots if rng.random() < 0.5 else list(where.house.values()))
        bot = Submission.objects.values_list("bot", flat=True).get(pk=chosen.submission)
        result = rng.choice(["", "won", "fault", "fault-crash", "slow"])
        kind = rng.choice(["", "ladder", "tournament", "counted"])
        return reverse("matches", args=[where.competition.slug]) + f"?bot={bot}&result={result}&kind={kind}"

    def against() -> str:
        where = place()
        first, second = rng.sample(where.bots, 2)
        bot, opponent = (
            Submission.objects.values_list("bot", flat=True).get(pk=e.submission) for e in (first, second)
        )
        return reverse("matches", args=[where.competition.slug]) + f"?bot={bot}&against={opponent}"

    def matches_of_cup() -> str:
        tournament = Tournament.objects.select_related("competition").get(
            pk=rng.choice([largest, rng.choice(cups)])
        )
        return (
            reverse("matches", args=[tournament.competition.slug])
            + f"?tournament={tournament.pk}&kind=standing"
        )

    def starter() -> str:
        where = place()
        name = next(bot.name for bot in where.game.info.house if bot.starter)
        return reverse("starter", args=[where.competition.slug, name])

    def estimate() -> str:
        where = place()
        chosen = "&".join(
            f"bots={pk}"
            for pk in Bot.objects.filter(competition=where.competition).values_list("pk", flat=True)[:40]
        )
        name = "round_robin" if where.game.info.min_seats == 2 else "balanced"
        return (
            reverse("tournament_estimate", args=[where.competition.slug])
            + f"?format={name}&rounds=3&seed=1&field=chosen&{chosen}"
        )

    def stderr() -> str:
        match = rng.choice(crowded.shown[::5])
        return reverse("match_stderr", args=[match, 0])

    def admin(model: str, query: str = "") -> Callable[[], str]:
        return lambda: reverse(f"admin:{model}_changelist") + query

    lists = "matches_match bots_submission bots_bot tournaments_tournament competitions_competition"
    lists += " accounts_user leaderboards_rating audit_act"

    def admin_of(model: str, ids: list[int]) -> Callable[[], str]:
        return lambda: reverse(f"admin:{model}_change", args=[rng.choice(ids)])

    def named(names: str, make: Callable[..., Callable[[], str]], *more: Any) -> dict[str, Callable[[], str]]:
        """Pages that are called as their kind is."""
        return {name: make(name, *more) for name in names.split()}

    def of_slug(rest: str) -> Callable[[], str]:
        return lambda: rest.format(place().competition.slug)

    api: dict[str, Callable[[], str]] = {
        "competitions": lambda: "competitions",
        "leaderboard": of_slug("competitions/{}/leaderboard?limit=200"),
        "matches": of_slug("matches?competition={}&limit=200"),
        "tournaments": of_slug("tournaments?competition={}"),
        "events": of_slug("competitions/{}/events?since=0"),
        "match": lambda: f"matches/{rng.choice(without_record)}",
        "bot": lambda: f"bots/{rng.choice(bots)}",
        "bot analysis": lambda: f"bots/{rng.choice(bots)}/analysis",
        "tournament standings": lambda: f"tournaments/{rng.choice([largest, rng.choice(cups)])}/standings",
        "tournament matrix": lambda: f"tournaments/{rng.choice([largest, rng.choice(cups)])}/matrix",
    }
    users = [person.pk for person in crowded.people[:50]]
    return {
        "home": lambda: "/",
        "home cards": lambda: "/?part=cards",
        **named("rules competition matches first_win editor submit tournaments tournament_new", of_place),
        "starter": starter,
        "competition page": of_place("competition", *(f"?page={number}" for number in range(1, 20))),
        "competition sort": of_place("competition", "?sort=won", "?sort=bot", "?sort=faults"),
        "competition search": of_place("competition", "?q=red", "?q=blue+1", "?q=zz"),
        "competition board": of_place("competition", "?part=board"),
        "matches page": of_place("matches", *(f"?page={number}" for number in range(1, 400))),
        "matches filtered": filtered,
        "matches against": against,
        "matches state": of_place("matches", "?state=void", "?state=queued", "?state=running"),
        "matches of a tournament": matches_of_cup,
        "matches rows": of_place("matches", "?part=rows"),
        **named("bot bot_analysis bot_ratings_csv bot_faults_csv bot_times_csv", any_of, bots),
        "bot why": any_of("bot", bots, "?part=why"),
        "bot of the house": any_of("bot", house),
        "bot own": any_of("bot", own_bots),
        "bot_analysis of the house": any_of("bot_analysis", house),
        "bot_analysis beside": any_of("bot_analysis", own_bots, "?version=5&beside=4"),
        "bot_rename": any_of("bot_rename", own_bots),
        **named(
            "submission submission_source submission_code submission_diff submission_compare", any_of, own
        ),
        "submission progress": any_of("submission", own, "?part=progress"),
        "comparison": any_of("comparison", comparisons),
        "match": any_of("match", crowded.shown),
        "match raw": any_of("match", crowded.shown, "?raw=1"),
        "match part": any_of("match", crowded.shown, "?part=match"),
        "match without record": any_of("match", without_record),
        **named("match_record match_log match_live match_debug match_archive", any_of, crowded.shown),
        **named("match_embed match_picture", any_of, crowded.shown),
        "match_stderr": stderr,
        "oembed": lambda: f"/oembed/?url=http://127.0.0.1:8000/matches/{rng.choice(crowded.shown)}/",
        "viewer": lambda: reverse("viewer", args=[place().game.info.slug]),
        "trial": lambda: reverse("trial", args=[trial.token]) + "?part=trial",
        "trial_log": lambda: reverse("trial_log", args=[trial.token]),
        "trial_debug": lambda: reverse("trial_debug", args=[trial.token]),
        "tournament_estimate": estimate,
        **named("tournament tournament_matrix tournament_matrix_csv tournament_race_csv", cup),
        **named("tournament_rerun tournament_archive tournament_logs", cup),
        "tournament progress": cup("tournament", "?part=progress"),
        "tournament certainty": cup("tournament_matrix", "?part=certainty"),
        "tournament_trf": cup("tournament_trf", ids=swiss),
        **{
            f"api {name}": (lambda path=path: f"/api/v1/{path()}")  # type: ignore[misc]
            for name, path in api.items()
        },
        "operate": lambda: "/operate/",
        "chain": lambda: "/chain/",
        "archive_signers": lambda: "/archives/signers",
        "user": lambda: rng.choice(crowded.people).get_absolute_url(),
        "user own": lambda: crowded.people[0].get_absolute_url(),
        "user house": lambda: "/u/house/",
        "user_close": lambda: f"{crowded.people[0].get_absolute_url()}close/",
        "login": lambda: "/accounts/login/",
        "signup": lambda: "/accounts/signup/",
        "password change": lambda: "/accounts/password/change/",
        "not found": lambda: "/nowhere/",
        "admin index": lambda: "/admin/",
        **{f"admin {model}": make for model, make in named(lists, admin).items()},
        "admin match of one": admin(
            "matches_match", f"?competition__id__exact={crowded.places[5].competition.pk}"
        ),
        "admin match state": admin("matches_match", "?state__exact=queued"),
        "admin match page 200": admin("matches_match", "?p=200"),
        "admin bot search": admin("bots_bot", "?q=red"),
        "admin user search": admin("accounts_user", "?q=red"),
        "admin a match": admin_of("matches_match", crowded.shown),
        "admin a tournament": admin_of("tournaments_tournament", [largest, *cups]),
        "admin a bot": admin_of("bots_bot", bots),
        "admin a submission": admin_of("bots_submission", own),
        "admin a user": admin_of("accounts_user", users),
        "admin a competition": admin_of(
            "competitions_competition", [where.competition.pk for where in crowded.places]
        ),
    }
