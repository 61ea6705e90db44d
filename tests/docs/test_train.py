"""docs/guides/train.md keeps its word: its programs run as they stand, and the bot that they write plays."""

import re
import subprocess
import sys

from tests.support.processes import ROOT

BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "docs/guides/train.md").read_text(), re.S)


def test_the_programs_of_the_page_run_and_the_bot_that_they_write_plays(tmp_path, agon):
    played, learned, _submits = BLOCKS
    ran = subprocess.run([sys.executable, "-c", played], capture_output=True, text=True, check=True)
    assert re.fullmatch(r"seat_0 \d+\.0 1\nseat_1 \d+\.0 1\n", ran.stdout)  # both always throw rock
    subprocess.run([sys.executable, "-c", learned], cwd=tmp_path, check=True)
    assert "return 'P'" in (tmp_path / "bot.py").read_text()  # paper beats a seat that always throws rock
    assert agon("play", "honest_rps", "bot.py", "stone", "--json", cwd=tmp_path).code == 0
