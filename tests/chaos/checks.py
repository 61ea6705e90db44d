"""What must hold of a site when it is mended and has done all that was waiting."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from agon.site.core.db.leases import ATTEMPTS
from tests.support.processes import ROOT

from .load import Load
from .site import ChaosSite

WAITING = """
SELECT (SELECT count(*) FROM matches_match WHERE state IN ('queued', 'running'))
     + (SELECT count(*) FROM bots_submission WHERE state IN ('received', 'building', 'built', 'qualifying'))
     + (SELECT count(*) FROM tournaments_tournament WHERE state = 'running')
"""
DONE = """
SELECT (SELECT count(*) FROM matches_match WHERE state IN ('finished', 'void'))
     + (SELECT count(*) FROM bots_submission WHERE state IN ('active', 'replaced', 'rejected'))
"""
WITHOUT_RESULT = """
SELECT count(*) FROM matches_match m WHERE state = 'finished'
AND NOT EXISTS (SELECT 1 FROM matches_seat s WHERE s.match_id = m.id AND s.rank IS NOT NULL)
"""
DOUBLED = (
    "SELECT count(*) FROM (SELECT 1 FROM matches_seat GROUP BY match_id, number HAVING count(*) > 1) twice"
)
VOID_TOO_SOON = f"""
SELECT count(*) FROM matches_match m WHERE state = 'void'
AND (SELECT count(*) FROM matches_failedattempt f WHERE f.match_id = m.id) < {ATTEMPTS}
"""
UPLOADS = (
    "SELECT s.id FROM bots_submission s JOIN accounts_user u ON s.author_id = u.id WHERE u.username = 'ada'"
)
REJECTED = "SELECT id, reason, left(build_log, 500) FROM bots_submission WHERE state = 'rejected'"
COUNTS = {
    "matches": "SELECT count(*) FROM matches_match WHERE state = 'finished'",
    "void": "SELECT count(*) FROM matches_match WHERE state = 'void'",
    "failed_attempts": "SELECT count(*) FROM matches_failedattempt",
}


def is_quiet(site: ChaosSite) -> bool:
    return site.count(WAITING) == 0


def wrong(site: ChaosSite, load: Load) -> Iterator[str]:
    """A sentence for each thing that does not hold."""
    if load.error:
        yield f"a request was not answered: {load.error}"
    yield from _of_the_database(site, load)
    yield from _of_the_results(site)
    for number in load.tournaments:
        yield from _of_a_tournament(site, load, number)


def _of_the_database(site: ChaosSite, load: Load) -> Iterator[str]:
    if lost := site.count(WITHOUT_RESULT):
        yield f"{lost} finished matches have no result"
    if doubled := site.count(DOUBLED):
        yield f"{doubled} seats are there twice"
    if soon := site.count(VOID_TOO_SOON):
        yield f"{soon} matches became void before {ATTEMPTS} attempts"
    kept = {row[0] for row in site.rows(UPLOADS)}
    if lost_uploads := load.submissions.keys() - kept:
        yield f"uploads that were confirmed are lost: {sorted(lost_uploads)}"
    if more := kept - load.submissions.keys():
        yield f"uploads are there twice, or although they were refused: {sorted(map(str, more))}"
    for row in site.rows(REJECTED):
        yield f"a good program was rejected: {row}"
    for number, program in load.submissions.items():
        if load.download(f"submissions/{number}/source") != program:
            yield f"submission {number} has another program than was uploaded"


def _of_the_results(site: ChaosSite) -> Iterator[str]:
    for command in (["recompute_ratings", "--check"], ["check_chain"]):
        try:
            site.manage(*command)
        except RuntimeError as error:
            yield str(error)


def _of_a_tournament(site: ChaosSite, load: Load, number: int) -> Iterator[str]:
    data: dict[str, Any] = load.get(f"tournaments/{number}")
    if data["state"] != "finished":
        yield f"tournament {number} is {data['state']}"
        return
    archive = site.folder / f"cup-{number}.zip"
    archive.write_bytes(load.download(f"tournaments/{number}/archive"))
    command = [sys.executable, "-m", "agon", "verify", str(archive)]
    ran = subprocess.run(command, cwd=ROOT / "platform", capture_output=True, text=True, timeout=600)
    if ran.returncode or "sound" not in ran.stdout:
        yield f"the archive of tournament {number} does not verify:\n{(ran.stdout + ran.stderr)[-2000:]}"
