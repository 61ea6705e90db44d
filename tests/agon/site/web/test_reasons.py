"""Why an upload is refused, a submission rejected, a move a fault: in the reader's language."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from agon.site.bots.models import Submission
from agon.site.bots.states import State
from agon.site.matches import leases
from agon.site.use_cases import qualification
from agon.site.workers import building
from games.core.reason import Reason
from sandbox.building.build import Built
from tests.support.factories import played, submit

from .conftest import play

REFUSED = {
    "en": "bot.py is a Windows program: expected a source file, .zip, .tar or .tar.gz",
    "ja": "bot.py は使えない形式です（Windows のプログラム）。"
    "ソースファイル、.zip、.tar、.tar.gz のいずれかが必要です",
    "ru": "bot.py\xa0— это программа для Windows: нужен исходный файл, .zip, .tar или .tar.gz",
}
UNBUILT = {
    "en": ["The build failed.", "The build failed: cc exited with status 1; see the log"],
    "ja": ["ビルドに失敗しました。", "ビルドに失敗しました: cc exited with status 1。ログを確認してください"],
    "ru": ["Сборка не удалась.", "Сборка не удалась: cc exited with status 1; см. журнал"],
}
FAULTY = {
    "en": [
        "This version was not accepted.",
        "It committed a fault in its qualification match (crashed): turn 1, day: exited with status 3",
    ],
    "ja": [
        "このバージョンは却下されました。",
        "予選で反則がありました（異常終了）: ターン1、昼: 終了コード3で終了しました",
    ],
    "ru": [
        "Эта версия отклонена.",
        "Нарушение в отборочном матче (аварийное завершение): ход 1, день: завершился с кодом 3",
    ],
}
REASONS = {
    "en": "turn 1, day: gave no answer within 1 s",
    "ja": "ターン1、昼: 1秒以内に応答しませんでした",
    "ru": "ход 1, день: не ответил за 1\xa0с",
}
KINDS = {"en": "too slow", "ja": "時間切れ", "ru": "превышение времени"}


def text(client, address: str, language: str) -> str:
    return client.get(address, headers={"accept-language": language}).content.decode()


@pytest.mark.parametrize("language", REFUSED)
def test_a_refused_upload_is_told_at_the_field(signed_in, competition, language) -> None:
    upload = {"name": "Ada", "way": "file", "file": SimpleUploadedFile("bot.py", b"MZ\x90\0")}
    page = signed_in.post("/c/samurai/submit/", upload, headers={"accept-language": language})
    assert page.status_code == 422
    assert not Submission.objects.exists()
    assert REFUSED[language] in page.content.decode()


@pytest.mark.parametrize("language", UNBUILT)
def test_a_failed_build_is_told_on_the_submissions_page(user, competition, signed_in, language) -> None:
    submission = submit(user, competition, state=State.BUILDING)
    reason = Reason("build_failed", why="cc exited with status 1")
    building.finish(submission, Built(None, "the log", reason, "c"))
    page = text(signed_in, submission.get_absolute_url(), language)
    assert [words for words in UNBUILT[language] if words not in page] == []


@pytest.mark.parametrize("language", FAULTY)
def test_a_fault_in_the_qualification_is_told_on_the_submissions_page(
    user, competition, signed_in, language
) -> None:
    submission = submit(user, competition, state=State.BUILT)
    qualification.start(submission)
    match = leases.claim("w")
    leases.finish(match, played(match, {(0, 0): ("crash", Reason("exited", status=3))}))
    page = text(signed_in, submission.get_absolute_url(), language)
    assert [words for words in FAULTY[language] if words not in page] == []


@pytest.mark.parametrize("language", KINDS)
def test_a_fault_on_a_match_page_has_its_kind_and_its_reason_translated(four, client, language) -> None:
    match = play(four, {(0, 1): ("timeout", Reason("answer_too_slow", seconds=1))})
    page = text(client, match.get_absolute_url(), language)
    assert KINDS[language] in page
    assert REASONS[language] in page
