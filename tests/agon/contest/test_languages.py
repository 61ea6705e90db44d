"""Every language plays: a bot of each finishes a match of Coup (run for each move) and Samurai (over lines).

The bots are the games' starters, and in tests/bots/<game>/languages those of languages that have none. All
play alike, so each match must go as it does between the starters in Python, move by move. In Coup the second
seat holds the same program as an archive with compile.sh and run.sh, made from the language's recipe.

With `--junitxml=FILE -o junit_family=xunit1` come the figures of docs/reference/languages.md, too:
seconds of a build, milliseconds of a move (less those in which no processor was free).
"""

import os
import shlex
import statistics
from pathlib import Path

import pytest

from agon.contest.arena import Player, box_limits, play
from games.core.manifest import load
from sandbox.api import Artifact
from sandbox.boxes.pool import Pool
from sandbox.building.build import Built, build
from sandbox.building.recipes import of_language
from sandbox.building.selftest import query_versions, state
from sandbox.languages.registry import all_languages, get
from sandbox.source import Source
from sandbox.uploads.accept import read_upload
from tests.support.archives import make_zip

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
SEED = 23  # a match of Coup with everything in it, and short: some languages take half a second to start
# With Docker, the image is the only difference: in `make test`, one that is compiled and one that is not.
ALWAYS = {
    "bubblewrap": [language.slug for language in all_languages() if language.family == "core"],
    "docker": ["c", "python"],
}
LANGUAGES = [
    pytest.param(
        backend,
        language.slug,
        marks=[
            *([pytest.mark.docker] if backend == "docker" else []),
            *([pytest.mark.languages] if language.slug not in ALWAYS[backend] else []),
        ],
    )
    for backend in ("bubblewrap", "docker")
    for language in all_languages()
]


@pytest.fixture(scope="module")
def matched(sandbox):
    """matched(game, artifacts by seat): the record of a match without faults."""
    pools = {}

    def run(game, *artifacts):
        info = load(game)
        pool = pools.setdefault(game, Pool(sandbox, box_limits(info)))
        played = play(info, [Player(f"bot{seat}", bot) for seat, bot in enumerate(artifacts)], SEED, pool)
        assert played.log.faults == (), played.stderr
        return played.log

    yield run
    for pool in pools.values():
        pool.close()


def replies(record):
    """What was replied, turn by turn; blanks between the numbers of an answer are the bot's own affair."""
    return [
        (exchange.seat, exchange.reply.split() if isinstance(exchange.reply, str) else exchange.reply)
        for exchange in record.exchanges
    ]


@pytest.fixture(scope="module")
def in_python(sandbox, store, matched):
    """What the starters in Python reply, by game."""
    query_versions(sandbox)  # in one box, not in one for each language
    python = {game: built(source_of(game, "python"), sandbox, store).artifact for game in ("coup", "samurai")}
    return {game: replies(matched(game, *[bot] * load(game).max_seats)) for game, bot in python.items()}


@pytest.mark.first(2)
@pytest.mark.parametrize(("sandbox", "slug"), LANGUAGES, indirect=["sandbox"])
@pytest.mark.compilers
def test_a_bot_in_every_language_plays_both_channels(
    slug, sandbox, store, matched, in_python, record_property
):
    now = state(get(slug), sandbox, store)
    if not now.works:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(now.problem)
    single = {game: built(source_of(game, slug), sandbox, store) for game in in_python}
    archive = built(with_scripts(source_of("coup", slug)), sandbox, store)
    assert [checked.language for checked in (*single.values(), archive)] == [slug, slug, "scripts"]
    programs = {game: bot.artifact for game, bot in single.items()}
    for game, seats in (
        ("coup", [programs["coup"], archive.artifact]),
        ("samurai", [programs["samurai"]] * 4),
    ):
        record = matched(game, *seats)
        assert replies(record) == in_python[game]
        record_property(f"{game}_build_s", round(single[game].seconds, 2))
        own = [exchange.charged_us for exchange in record.exchanges if seats[exchange.seat] is programs[game]]
        record_property(f"{game}_move_ms", round(statistics.median(own) / 1000, 2))
    assert exchange_of(programs["coup"], sandbox) == b"$^"


def source_of(game: str, slug: str) -> Source:
    language = get(slug)
    [file] = [
        file
        for file in (*ROOT.glob(f"tests/bots/{game}/languages/*"), *ROOT.glob(f"games/{game}/bots/*"))
        if file.stem in ("bot", "starter", "Starter") and language.owns(file.name)
    ]
    return read_upload(file.name, file.read_bytes(), slug)


def with_scripts(source: Source) -> Source:
    """The same program as an archive that brings the commands of its language itself."""
    language = get(source.language)
    [file] = source.files
    how = of_language(source, language, file.path if language.needs_main else None)
    lines = ["#!/bin/sh", "set -e", *map(shlex.join, how.steps)]
    files = {file.path: file.data, "run.sh": f'#!/bin/sh\nexec {shlex.join(how.command)} "$@"\n'.encode()}
    if how.steps:
        files["compile.sh"] = "\n".join([*lines, ""]).encode()
    return read_upload("archive.zip", make_zip(files))


def built(source: Source, sandbox, store) -> Built:
    result = build(source, sandbox, store)
    assert result.artifact is not None, (result.reason, result.log)
    return result


def exchange_of(artifact: Artifact, sandbox) -> bytes:
    """What the bot keeps after an exchange, which starters never make."""
    box = sandbox.open(artifact, box_limits(load("coup")))
    try:
        session = box.session()
        ran = session.run(["1", "1", "~^!$", "\n"], b"Ep", 10.0)
        session.close()
    finally:
        box.close()
    assert (ran.failed, ran.file) == (None, b"Ep\n")
    return ran.stdout.strip()
