"""Games of libraries on a site: from the editor's form over build, qualification and matches to the board."""

import pytest
from django.test import Client

import games
from agon.site.bots.models import Submission
from agon.site.matches import leases
from agon.site.matches.models import Match
from agon.site.matches.states import State
from agon.site.use_cases import house_bots
from agon.site.workers import building, playing, tasks
from agon.site.workers.worker import worker
from games.core.record import from_json
from games.core.replay import replay
from tests.support.games import forget_games
from tests.support.library_games import KINDS, write

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]
ON_A_SITE = {**KINDS, "three": "open_spiel:kuhn_poker(players=3)"}
WORDS = "correct horse battery"


@pytest.fixture
def library_game(request, monkeypatch, tmp_path):
    """A site whose only game is this one, as `agon new-game --from` writes it."""
    folder = write(tmp_path / "games", {request.param: ON_A_SITE[request.param]})
    monkeypatch.setattr(games, "__path__", [str(folder)])
    monkeypatch.setenv("AGON_SANDBOX", "bubblewrap")
    forget_games(request.param)
    yield request.param
    worker.close()
    forget_games(request.param)


def enter(client, slug):
    """What a newcomer does who leaves the starter in the editor as it is: Enter, and sign up."""
    form = client.get(f"/c/{slug}/editor/").context["form"]
    data = {"way": "text", "newcomer": "yes", "bot": "new", "name": "Newcomer", "language": "python"}
    address = client.post(f"/c/{slug}/submit/", data | {"text": form["text"].value()}).headers["Location"]
    person = {"username": "grace", "password1": WORDS, "password2": WORDS, "next": f"/c/{slug}/submit/"}
    client.post(address, person)
    return Submission.objects.get(bot__house=False)


@pytest.mark.parametrize(
    "library_game",
    [slug if slug == "cards" else pytest.param(slug, marks=pytest.mark.exhaustive) for slug in ON_A_SITE],
    indirect=True,
)
def test_a_bot_gets_from_the_editor_to_the_board(library_game):
    sandbox = worker.sandbox()
    assert {note.note for note in house_bots.install(sandbox)} == {"uploaded"}
    client = Client()
    entered = enter(client, library_game)
    while building.build_next(sandbox):
        pass
    rated = Match.objects.filter(
        state=State.FINISHED, kind=Match.Kind.LADDER, seats__submission=entered
    ).distinct()
    while not rated.exists():
        tasks.sweep()
        assert playing.play(leases.claim("test"))
    entered.refresh_from_db()
    assert entered.state == "active", entered.reason
    tasks.rate(rated[0].competition_id)
    board = client.get(f"/c/{library_game}/").content.decode()
    assert all(f">{name}<" in board for name in ("Newcomer", "First", "Random"))
    assert not Match.objects.exclude(state__in=[State.FINISHED, State.QUEUED]).exists()
    page = client.get(rated[0].get_absolute_url()).content.decode()
    assert f"/games/{library_game}/viewer.js" in page
    record = from_json(client.get(f"{rated[0].get_absolute_url()}record.json").content)
    assert replay(record).scores == record.scores
    assert client.get(f"{rated[0].get_absolute_url()}log.json").json()["frames"][0]["text"]
    assert "{{" not in client.get(f"/c/{library_game}/rules/").content.decode()
