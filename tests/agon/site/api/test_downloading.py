"""`agon download`: what it writes where, and the matches whose records are gone."""

import os
import stat

import pytest

from agon.site.matches import leases, queueing
from agon.site.matches.models import Match, Recording
from tests.support.factories import activate, played

pytestmark = pytest.mark.django_db(transaction=True)
DONE, USAGE = 0, 2


@pytest.fixture
def three(user, competition):
    """Finished matches of the same bots."""
    four = activate(user, competition, ["a", "b", "c", "d"])
    for _ in range(3):
        queueing.queue(competition, Match.Kind.LADDER, Match.Queue.INTERACTIVE, four)
        match = leases.claim("w")
        assert leases.finish(match, played(match))
    return list(Match.objects.filter(state=Match.State.FINISHED).order_by("pk"))


def test_a_record_that_is_gone_does_not_keep_older_ones_from_being_downloaded(signed_in, three, tmp_path):
    oldest, gone, newest = three
    Recording.objects.filter(match=gone).delete()
    bot = oldest.seats.first().submission.bot_id

    result = signed_in("download", "matches", bot, "-o", "got")

    assert (result.code, sorted(os.listdir(tmp_path / "got"))) == (
        DONE,
        sorted(f"match-{match.pk}.json" for match in (oldest, newest)),
    )
    assert "2 records written to got" in result.err
    assert "1 records are not kept any more" in result.err


@pytest.mark.parametrize("name", ["-", "file"])
def test_all_matches_go_into_a_folder_and_nowhere_else(signed_in, three, tmp_path, name):
    (tmp_path / "file").touch()
    bot = three[0].seats.first().submission.bot_id
    result = signed_in("download", "matches", bot, "-o", name)
    assert (result.code, os.listdir(tmp_path)) == (USAGE, ["file"])
    assert "-o: " in result.err


def test_a_pipe_is_written_to_and_not_replaced(signed_in, three, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    reading = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert signed_in("download", "record", three[0].pk, "-o", "pipe").code == DONE
        assert os.read(reading, 1 << 20).startswith(b"{")
    finally:
        os.close(reading)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert os.listdir(tmp_path) == ["pipe"]


def test_a_link_stays_and_leads_to_what_was_downloaded(signed_in, three, tmp_path):
    (tmp_path / "latest.json").symlink_to("record.json")
    for match in three[:2]:
        assert signed_in("download", "record", match.pk, "-o", "latest.json").code == DONE
    assert (tmp_path / "latest.json").is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["latest.json", "record.json"]


def test_a_folder_that_is_not_there_is_named(signed_in, three):
    result = signed_in("download", "record", three[0].pk, "-o", "nowhere/record.json")
    assert result.code == USAGE
    assert "nowhere/record.json: No such file or directory" in result.err


def test_a_file_that_another_download_is_writing_is_left_alone(signed_in, three, tmp_path):
    (tmp_path / "record.json.part").write_bytes(b"half of")
    assert signed_in("download", "record", three[0].pk, "-o", "record.json").code == DONE
    assert (tmp_path / "record.json.part").read_bytes() == b"half of"
    assert sorted(os.listdir(tmp_path)) == ["record.json", "record.json.part"]
