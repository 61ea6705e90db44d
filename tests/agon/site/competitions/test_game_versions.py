from dataclasses import replace

from django.core.management import call_command
from django.test import Client

from agon.site.audit.models import Act
from agon.site.competitions import organizing
from agon.site.competitions.models import Competition
from agon.site.competitions.settings import CompetitionSettings


def changes_page(competition: Competition) -> str:
    page: str = Client().get(f"{competition.get_absolute_url()}changes/").content.decode()
    return page


def test_a_game_of_another_version_is_a_public_change_of_its_competitions(db):
    competition = Competition.objects.create(slug="rps", game="honest_rps", title="RPS")
    Competition.objects.update(game_version="")  # as if the site had not recorded versions before
    call_command("note_game_versions")
    assert "Nothing was changed." in changes_page(competition)
    Competition.objects.update(game_version="0")  # as if the site had run with that before

    for _ in range(2):
        call_command("note_game_versions")
        page = changes_page(competition)
        assert page.count("installed another version of the game") == 1
        assert f"<del>0</del> → <ins>{competition.info.version}</ins>" in page
        assert "the site" in page


def test_the_first_start_after_a_competition_was_opened_records_a_game_of_another_version(olga, monkeypatch):
    competition = organizing.open_draft(
        organizing.create_draft(olga, CompetitionSettings("RPS", "rps", "honest_rps")), olga
    )
    was = competition.info.version
    now = replace(competition.info, version="later")
    monkeypatch.setattr(Competition, "info", property(lambda self: now))
    call_command("note_game_versions")
    assert f"<del>{was}</del> → <ins>later</ins>" in changes_page(competition)


def test_a_game_that_does_not_work_and_an_archived_competition_have_no_such_change(db):
    Competition.objects.create(slug="gone", game="gone", title="Gone", game_version="0")
    archived = Competition.State.ARCHIVED
    Competition.objects.create(slug="rps", game="honest_rps", title="RPS", game_version="0", state=archived)
    call_command("note_game_versions")
    assert not Act.objects.exists()
