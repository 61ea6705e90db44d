"""A starter with rules and AGENTS.md: what is in the zip. workers/test_starter_commands.py runs its lines."""

import io
import zipfile
from pathlib import Path

import pytest
from django.test import Client

from agon.site.competitions.models import Competition
from games.core.manifest import all_games, starters

pytestmark = pytest.mark.django_db
HERE = str(Path(__file__).resolve().parents[4])


def competition(game: str) -> Competition:
    return Competition.objects.create(slug="spring-cup", game=game, title="Cup")


def offered(client: Client) -> list[dict[str, str]]:
    listed: list[dict[str, str]] = client.get("/api/v1/competitions/spring-cup/starters").json()
    return listed


def fetched(client: Client, address: str, **headers: str) -> bytes:
    response = client.get(address.removeprefix("http://testserver"), headers=headers)
    assert response.status_code == 200
    return bytes(response.content)


@pytest.mark.parametrize("game", [info.slug for info in all_games()])
def test_every_starter_has_a_kit_of_the_same_bytes_each_time(client, settings, game) -> None:
    settings.SITE_URL = "http://testserver"
    spring_cup = competition(game)
    kits = offered(client)
    assert [kit["name"] for kit in kits] == [bot.name for bot in starters(spring_cup.info)]
    page = client.get("/c/spring-cup/rules/").content.decode()
    for offer, bot in zip(kits, starters(spring_cup.info), strict=True):
        assert f'href="{offer["kit"].removeprefix("http://testserver")}"' in page
        data = fetched(client, offer["kit"])
        assert fetched(client, offer["kit"], **{"accept-language": "ja"}) == data
        files = zipfile.ZipFile(io.BytesIO(data))
        texts = {name.partition("/")[2]: files.read(name).decode() for name in files.namelist()}
        assert {name.partition("/")[0] for name in files.namelist()} == {f"spring-cup-{bot.language}"}
        assert {"AGENTS.md", "README.md", "RULES.md"} < texts.keys()
        assert any(name.split("/")[0] == bot.path.name for name in texts)
        assert [name for name, text in texts.items() if HERE in text or "{{" in text] == []


@pytest.mark.parametrize("name", ["nothing", "..", "%00", "kit.zip"])
def test_what_is_no_starter_has_no_kit(client, name) -> None:
    competition("honest_rps")
    assert client.get(f"/c/spring-cup/rules/starters/{name}/kit.zip").status_code == 404
