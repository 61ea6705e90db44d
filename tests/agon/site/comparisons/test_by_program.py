"""`agon compare --site`."""

import contextlib
import json
import subprocess
import sys

import pytest

from agon.site.comparisons.models import Comparison
from agon.site.tokens import services as tokens

from .conftest import names, play

pytestmark = pytest.mark.django_db(transaction=True)
ALL = ("read", "submit")


@pytest.fixture
def compares(live_server, user, tmp_path):
    """compares(*arguments, best=...): runs it while this process plays; its exit code, stdout, stderr."""
    environment = {"HOME": str(tmp_path), "AGON_TOKEN": tokens.issue(user, "laptop", ALL)[1]}

    def run(*arguments: object, best: int = 0) -> tuple[int, str, str]:
        command = [sys.executable, "-m", "agon", "compare", "--site", live_server.url, *map(str, arguments)]
        process = subprocess.Popen(
            command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        while process.poll() is None:
            for comparison in Comparison.objects.filter(state="running"):
                ranked = names(comparison)[:: -1 if best else 1]
                play(comparison, lambda number, ranked=ranked: ranked)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.2)
        out, err = process.communicate()
        return process.returncode, out, err

    return run


def test_the_site_plays_and_the_command_tells_the_verdict(compares, versions):
    new, old = versions
    code, out, err = compares("rps", new.pk, old.pk)

    assert code == 0, err
    assert out.startswith("better after 32 matches\n")
    assert "of at most" in err
    assert f"{new.pk} gets " in out


@pytest.mark.exhaustive
def test_a_worse_version_ends_with_1(compares, versions):
    new, old = versions
    code, out, err = compares("rps", new.pk, old.pk, "--json", best=1)

    assert code == 1, err
    assert json.loads(out)["verdict"] == "worse"


@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("rps", "new", "old"), "NEW: expected the number"),
        (("rps", "{new}", "Nobody"), "OLD: expected the number"),
        (("coup", "{new}", "{old}"), "is in rps, not in coup"),
        (("rps", "{new}", "{old}", "--least", "0.2"), "expected no --least"),
        (("rps", "{new}", "999999"), "/old"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_played(compares, versions, arguments, says):
    new, old = versions
    given = [argument.format(new=new.pk, old=old.pk) for argument in arguments]
    code, _out, err = compares(*given)

    assert code == 2, err
    assert says in err
    assert not Comparison.objects.exists()
