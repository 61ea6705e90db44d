"""A signed download of one match says which match it is, and is nothing else."""

import hashlib
import io
import json
import subprocess
import zipfile

import pytest
from django.test import Client

from agon.contest.archive.signature import MATCH_NAMESPACE, NAMESPACE, read_signers
from agon.contest.archive.verify import verify
from agon.contest.archive.writer import sum_line
from agon.site.accounts.models import User
from agon.site.archives import keys, storing
from agon.site.competitions.models import Competition
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from agon.site.tournaments import reruns, scheduling, services
from agon.site.tournaments.reruns import Choice
from tests.support.factories import active_bots, duel

pytestmark = pytest.mark.django_db


@pytest.fixture
def boss():
    return User.objects.create_superuser("boss")


@pytest.fixture
def cup(boss, user):
    rps = Competition.objects.create(slug="rps", game="honest_rps", title="Honest RPS")
    bots = active_bots(user, rps, ["a", "b"])
    cup = services.create(boss, rps, "Autumn Cup", "round_robin", 1, 1, bots)
    services.start(cup)
    play()
    scheduling.tick()
    return cup


def play():
    while (match := leases.claim("w")) is not None:
        leases.finish(match, duel(match, ["a", "b"]))


def unpacked(address, folder):
    answer = Client().get(address)
    assert answer.status_code == 200
    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as packed:
        packed.extractall(folder)
    return folder


def of_match(match, folder):
    return unpacked(f"/matches/{match.pk}/archive", folder)


def stated(folder):
    return json.loads((folder / "manifest.json").read_text()).get("match")


def signers():
    return read_signers(Client().get("/archives/signers").content.decode(), "signers")


def sign(folder, namespace):
    """As someone with the site's key would, after a change to the manifest."""
    manifest = (folder / "manifest.json").read_bytes()
    lines = (folder / "SHA256SUMS").read_text().splitlines()
    lines[-1] = sum_line("manifest.json", hashlib.sha256(manifest).hexdigest())
    sums = "".join(f"{line}\n" for line in lines).encode()
    (folder / "SHA256SUMS").write_bytes(sums)
    signature = keys.signing_key().sign(hashlib.sha512(sums).digest(), namespace)
    (folder / "SHA256SUMS.sig").write_bytes(signature)


def change(folder, **facts):
    path = folder / "manifest.json"
    data = json.loads(path.read_text()) | facts
    path.write_text(json.dumps({name: value for name, value in data.items() if value is not None}))


def test_the_download_of_a_match_says_which_match_it_is(cup, tmp_path):
    match = cup.matches.get(index=0)
    folder = of_match(match, tmp_path / "match")
    assert stated(folder) == {
        "id": match.pk,
        "kind": "tournament",
        "date": match.finished_at.date().isoformat(),
        "competition": "rps",
        "tournament": {"id": cup.pk, "name": "Autumn Cup"},
    }
    report = verify(folder, signers=signers())
    assert report.differences == ()
    assert report.notes[0] == (
        f"one match, not a tournament: match {match.pk} (tournament) of rps, "
        f"in tournament {cup.pk} (Autumn Cup), {match.finished_at.date()}"
    )


def test_matches_outside_of_tournaments_and_of_reruns_say_so_too(cup, boss, tmp_path):
    seats = [entrant.submission for entrant in cup.entrants.all()]
    queueing.queue(cup.competition, Match.Kind.LADDER, Match.Queue.BULK, seats)
    old = cup.matches.get(index=0)
    rerun = reruns.begin(cup, Choice(numbers=(old.pk,)), boss, "a broken host")
    play()
    reruns.apply(rerun, boss)
    ladder = Match.objects.get(kind="ladder")
    assert (stated(of_match(ladder, tmp_path / "1"))["kind"]) == "ladder"
    assert "tournament" not in stated(tmp_path / "1")
    replaced = stated(of_match(old, tmp_path / "2"))
    assert (replaced["kind"], replaced["tournament"]["id"]) == ("rerun", cup.pk)
    counts = stated(of_match(cup.matches.get(index=0), tmp_path / "3"))
    assert (counts["kind"], counts["id"]) == ("tournament", rerun.matches.get().new_id)
    assert all(verify(tmp_path / name, signers=signers()).sound for name in "123")


def test_ssh_keygen_takes_each_kind_under_its_own_namespace_alone(cup, tmp_path):
    storing.make(cup)
    kinds = {
        NAMESPACE: unpacked(f"{cup.get_absolute_url()}archive", tmp_path / "cup"),
        MATCH_NAMESPACE: of_match(cup.matches.get(index=0), tmp_path / "match"),
    }
    (tmp_path / "signers").write_bytes(Client().get("/archives/signers").content)
    for right, folder in kinds.items():
        for asked in kinds:
            command = [
                "ssh-keygen",
                "-Y",
                "verify",
                "-f",
                tmp_path / "signers",
                "-I",
                keys.name(),
                "-n",
                asked,
            ]
            sums = (folder / "SHA256SUMS").read_bytes()
            done = subprocess.run(
                [*command, "-s", folder / "SHA256SUMS.sig"], input=sums, capture_output=True
            )
            assert (done.returncode == 0) == (asked == right)


WRONG = "SHA256SUMS.sig: namespace: expected "


def test_a_match_is_not_presented_as_a_tournament(cup, tmp_path):
    folder = of_match(cup.matches.get(index=0), tmp_path / "match")
    change(folder, match=None, format="round_robin", seeding="placed")
    sign(folder, MATCH_NAMESPACE)
    assert f"{WRONG}'agon-archive', got 'agon-match'" in verify(folder, signers=signers()).differences


def test_a_match_without_its_facts_is_refused_although_it_is_signed(cup, tmp_path):
    folder = of_match(cup.matches.get(index=0), tmp_path / "match")
    change(folder, match=None)
    sign(folder, NAMESPACE)
    assert f"{WRONG}'agon-match', got 'agon-archive'" in verify(folder, signers=signers()).differences
    sign(folder, MATCH_NAMESPACE)
    assert (
        "manifest.json: match: missing: which match this is" in verify(folder, signers=signers()).differences
    )


def test_a_tournament_is_not_presented_as_a_match(cup, tmp_path):
    storing.make(cup)
    folder = unpacked(f"{cup.get_absolute_url()}archive", tmp_path / "cup")
    facts = stated(of_match(cup.matches.get(index=0), tmp_path / "match"))
    change(folder, match=facts)
    sign(folder, NAMESPACE)
    assert f"{WRONG}'agon-match', got 'agon-archive'" in verify(folder, signers=signers()).differences
    sign(folder, MATCH_NAMESPACE)
    differences = verify(folder, signers=signers()).differences
    assert "manifest.json: match: stated for an archive of more than one match" in differences


def test_a_match_is_not_presented_as_another(cup, tmp_path):
    first, second = (of_match(cup.matches.get(index=index), tmp_path / str(index)) for index in (0, 1))
    change(first, match=stated(second))
    differences = verify(first, signers=signers()).differences
    assert differences[0].startswith("SHA256SUMS: line ")
    (first / "SHA256SUMS.sig").write_bytes((second / "SHA256SUMS.sig").read_bytes())
    assert any(
        "not the signature" in difference for difference in verify(first, signers=signers()).differences
    )


def test_a_key_that_is_listed_for_archives_alone_signs_no_match(cup, tmp_path):
    """As the list of a site from before says."""
    folder = of_match(cup.matches.get(index=0), tmp_path / "match")
    listed = Client().get("/archives/signers").content.decode().replace(f",{MATCH_NAMESPACE}", "")
    report = verify(folder, signers=read_signers(listed, "signers"))
    assert report.signature == "forged"
