"""The page of a rejected version tells its author what to do."""

import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.files.storage import default_storage

from agon.site.bots import reasons
from agon.site.bots.models import Submission
from agon.site.bots.packing import zipped
from agon.site.bots.services import receive, receive_text
from agon.site.bots.sources import contents
from agon.site.bots.states import FINISH_BUILD, REJECT, START_BUILD
from agon.site.matches import leases
from agon.site.use_cases import qualification
from games.core.reason import Reason
from tests.support.factories import played

PROGRAM = "def main()\n    print('READY', flush=True)\n\n\nmain()\n"


@pytest.fixture
def pasted(user, competition) -> Submission:
    return receive_text(user, competition, "Ada", PROGRAM, "python")


def rejected(submission: Submission) -> Submission:
    submission.move(
        REJECT,
        reason=reasons.no_build(
            Reason("at_line", file="bot.py", line=1, problem="expected ':': def main()", said="expected ':'")
        ),
    )
    return submission


def text(client, submission: Submission) -> str:
    return client.get(submission.get_absolute_url()).content.decode()


def test_a_build_that_failed_is_explained_with_its_line(signed_in, pasted):
    assert "Line 1: a colon is missing" in text(signed_in, rejected(pasted))


def test_so_is_a_fault_of_the_qualification(signed_in, pasted):
    pasted.move(START_BUILD)
    pasted.move(FINISH_BUILD, language="python")
    qualification.start(pasted)
    match = leases.claim("w")
    assert leases.finish(match, played(match, {(0, 0): ("crash", Reason("exited", status=0))}))
    assert "Step 1: your program had ended before the match was over" in text(signed_in, pasted)


def test_a_program_of_several_files_gets_the_reason_alone(signed_in, user, competition):
    archive = zipped({"bot.py": PROGRAM.encode(), "more.py": b""})
    several = rejected(receive(user, competition, "Ada", "ada.zip", archive))
    page = text(signed_in, several)
    assert "a colon is missing" not in page
    assert "line 1: expected" in page


def test_a_program_that_was_lost_gets_the_reason_alone(signed_in, pasted):
    rejected(pasted).source.delete()
    assert "line 1: expected" in text(signed_in, pasted)


def test_answers_that_were_no_faults_and_not_meant_so_are_shown_to_the_author(signed_in, client, pasted):
    pasted.move(START_BUILD)
    pasted.move(FINISH_BUILD, language="python")
    qualification.start(pasted)
    match = leases.claim("w")
    assert leases.finish(match, played(match, always={"Ada": "0,1,2,3,4"}))
    page = text(signed_in, pasted)
    assert "&#x27;0,1,2,3,4&#x27; is not a lord, so it counts as lord 0" in page
    assert '<pre tabindex="0">0,1,2,3,4</pre>' in page
    assert "is not a lord" not in text(client, pasted)


def test_the_main_file_of_an_archive_is_named(signed_in, user, competition):
    page = text(signed_in, receive(user, competition, "Ada", "a.zip", zipped({"main.py": b"", "x.py": b""})))
    assert "<dt>Main file</dt><dd>main.py</dd>" in page
    alone = text(signed_in, receive(user, competition, "Eve", "eve.py", b"print()"))
    assert "Main file" not in alone
    own = {"bot.toml": b'run = "python3 x.py"', "main.py": b"", "x.py": b""}
    assert "Main file" not in text(signed_in, receive(user, competition, "Kim", "a.zip", zipped(own)))


def test_an_archive_is_not_unpacked_for_each_view(signed_in, user, competition):
    received = receive(user, competition, "Ada", "a.zip", zipped({"main.py": b"", "x.py": b""}))
    assert "<dd>main.py</dd>" in text(signed_in, received)
    default_storage.delete(received.source.name)
    assert "<dd>main.py</dd>" in text(signed_in, received)


def test_many_views_at_once_take_the_memory_of_one(user, competition):
    size = 16 << 20
    received = receive(user, competition, "Ada", "a.zip", zipped({"main.py": b"", "data": bytes(size)}))
    tracemalloc.start()
    try:
        with ThreadPoolExecutor(8) as views:
            found = list(views.map(contents, [received] * 8))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found == [("main.py", 2, size)] * 8
    assert peak < 3 * size
