"""docs/guides/train.md keeps its word: its programs run as they stand, and the bot that they write plays."""

import re
import subprocess
import sys

import pytest

from agon.site.accounts.models import User
from agon.site.bots.models import Submission
from agon.site.competitions.models import Competition
from agon.site.tokens.services import issue
from tests.support.processes import ROOT

BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "docs/guides/train.md").read_text(), re.S)


def test_the_programs_of_the_page_run_and_the_bot_that_they_write_plays(tmp_path, agon):
    played, learned, _submits = BLOCKS
    ran = subprocess.run([sys.executable, "-c", played], capture_output=True, text=True, check=True)
    assert re.fullmatch(r"seat_0 \d+\.0 1\nseat_1 \d+\.0 1\n", ran.stdout)  # both always throw rock
    subprocess.run([sys.executable, "-c", learned], cwd=tmp_path, check=True)
    assert "return 'P'" in (tmp_path / "bot.py").read_text()  # paper beats a seat that always throws rock
    assert agon("play", "honest_rps", "bot.py", "stone", "--json", cwd=tmp_path).code == 0


@pytest.mark.django_db(transaction=True)
def test_the_last_program_of_the_page_enters_the_bot(live_server, tmp_path):
    Competition.objects.create(slug="honest-rps", game="honest_rps", title="Honest RPS")
    user = User.objects.create_user("ada")
    learned = "def bot(their_past, my_past, their_claim, my_claim):\n    return 'P'\n"
    (tmp_path / "bot.py").write_text(learned)
    token = issue(user, "laptop", ["read", "submit"])[1]
    submits = BLOCKS[-1].replace("https://agon.example", live_server.url).replace("agon_...", token)
    ran = subprocess.run([sys.executable, "-c", submits], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    [submission] = Submission.objects.all()
    assert (submission.bot.name, submission.bot.owner, submission.number) == ("Learned", user, 1)
