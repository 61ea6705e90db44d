"""A starter with rules and AGENTS.md: what is in the zip, and that its commands do what they say."""

import io
import json
import os
import re
import shlex
import subprocess
import sys
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
    found: list[dict[str, str]] = client.get("/api/v1/competitions/spring-cup/starters").json()
    return found


def fetched(client: Client, address: str, **headers: str) -> bytes:
    response = client.get(address.removeprefix("http://testserver"), headers=headers)
    assert response.status_code == 200
    return bytes(response.content)


@pytest.mark.parametrize("game", [info.slug for info in all_games()])
def test_every_starter_has_a_kit_of_the_same_bytes_each_time(client, settings, game) -> None:
    settings.SITE_URL = "http://testserver"
    found = competition(game)
    kits = offered(client)
    assert [each["name"] for each in kits] == [bot.name for bot in starters(found.info)]
    page = client.get("/c/spring-cup/rules/").content.decode()
    for each, bot in zip(kits, starters(found.info), strict=True):
        assert f'href="{each["kit"].removeprefix("http://testserver")}"' in page
        data = fetched(client, each["kit"])
        assert fetched(client, each["kit"], **{"accept-language": "ja"}) == data
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


@pytest.mark.slow
def test_the_commands_of_agents_md_run_in_the_unpacked_zip(client, settings, tmp_path) -> None:
    settings.SITE_URL = "http://testserver"
    competition("honest_rps")
    kit = next(each["kit"] for each in offered(client) if each["language"] == "python")
    zipfile.ZipFile(io.BytesIO(fetched(client, kit))).extractall(tmp_path)
    [folder] = tmp_path.iterdir()
    environment = os.environ | {"DOCKER_HOST": "unix:///nowhere/docker.sock"}  # bubblewrap plays
    blocks = re.findall(r"^```sh\n(.*?)^```", (folder / "AGENTS.md").read_text(), re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    ran = []
    for line in lines:
        words = shlex.split(line)
        if words[0] == "cp":
            subprocess.run(words, cwd=folder, check=True)
        elif words[:2] in (["agon", "play"], ["agon", "compare"]):
            command = [sys.executable, "-m", *words]
            found = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300
            )
            assert found.returncode == 0, found.stderr
            assert json.loads(found.stdout) if "--json" in words else found.stdout
            ran.append(words[1])
    assert ran == ["play", "play", "compare"]
    others = [
        shlex.split(line)[:2] for line in lines if not line.startswith(("cp", "agon play", "agon comp"))
    ]
    assert others == [
        ["pip", "install"],
        ["export", "AGON_SITE=http://testserver"],
        *[["agon", "submit"]] * 2,
    ]
