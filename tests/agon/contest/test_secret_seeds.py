"""Seeds derived from a salt: what they follow from, and that an archive of them can be checked."""

import dataclasses
import hashlib
import hmac
import itertools
import json
import random

import pytest

from agon.contest import formats, secret_seeds
from agon.contest.archive.verify import verify
from agon.contest.formats import ScheduledMatch
from agon.contest.secret_seeds import Seeding, Seeds
from games.core.record import SeatInfo, from_json
from games.core.seeds import generator
from tests.support.folders import write_folder

from .conftest import play

SALT = "5a17" * 16
PAIRS = formats.schedule("round_robin", 4, 2, 3, 0)


def bots(digests="abcd", names="wxyz"):
    return tuple(map(SeatInfo, names, digests))


def seeds_of(salt, seed=7, digests="abcd", names="wxyz", pairs=PAIRS, draw="", seeding=Seeding.PLACED):
    derived = Seeds(salt, seed, seeding, bots(digests, names), draw)
    return list(derived.of_schedule(pairs))


def mac(key, message):
    return int(hmac.new(key, message.encode(), hashlib.sha256).hexdigest(), 16)


def test_counted_seeds_are_the_contests_seed_plus_the_index():
    assert seeds_of("", seeding=Seeding.COUNTED) == list(range(7, 7 + len(PAIRS)))
    assert Seeds("", 7, Seeding.COUNTED).of_seatings() == 7


def test_placed_seeds_are_the_digests_that_the_documentation_says():
    """docs/explanations/trust.md computes one with OpenSSL."""
    key = mac(
        bytes.fromhex(SALT), '["tournament",7,"d0",[["w","a"],["x","b"],["y","c"],["z","d"]]]'
    ).to_bytes(32, "big")
    seat = '[["w","a"],["y","c"]]'
    assert seeds_of(SALT, draw="d0")[1] == mac(key, f'["match",0,0,{seat}]') | 1 << 255
    assert seeds_of(SALT, draw="d0")[13] == mac(key, f'["match",1,0,{seat}]') | 1 << 255
    plain = hashlib.sha256(b"7").digest()
    assert seeds_of("")[1] == mac(plain, f'["match",0,0,{seat}]') >> 203


def test_no_two_matches_share_a_seed_not_even_the_same_bots_in_the_same_seats():
    drawn = [seed for salt in (SALT, "00" * 32) for typed in (1, 2) for seed in seeds_of(salt, typed)]
    drawn += seeds_of(SALT, 1, "abce")[2:3]  # another version of one bot
    drawn += Seeds(SALT, 1, Seeding.PLACED, bots()).of_attempts(drawn[0])[1:]
    assert len(set(drawn)) == len(drawn)
    again = [ScheduledMatch(index, 0, index, (0, 1)) for index in range(50)]
    assert len(set(seeds_of("", pairs=again))) == 50
    assert len(set(seeds_of("", digests="aaaa"))) == len(PAIRS)


@pytest.mark.parametrize("name", ["round_robin", "round_robin_self"])
def test_one_more_round_or_entrant_changes_no_other_match(name):
    def played(entrants, rounds):
        pairs = formats.schedule(name, entrants, 2, rounds, 0)
        seeds = seeds_of("", 7, "abcdef", "uvwxyz", pairs)
        return {(pair.round, *pair.seats): seed for pair, seed in zip(pairs, seeds, strict=True)}

    few, more = played(4, 2), played(6, 3)
    assert few.items() <= more.items()
    assert len(set(more.values())) == len(more)


def test_neighboring_seeds_share_no_match():
    assert not set(seeds_of("", 7)) & set(seeds_of("", 8))
    assert not set(seeds_of("", 7)) & set(range(7, 1000))


def test_who_knows_the_salt_cannot_choose_seeds_by_choosing_entrants():
    """They follow from the draw, too, which is made when the entrants are frozen."""
    chosen = [set(seeds_of(SALT, draw=draw)) for draw in ("d0", "d1")]
    assert not chosen[0] & chosen[1]
    for entrants in (dict(names="wxyv"), dict(digests="abce"), dict(names="xwyz", digests="bacd")):
        assert not set(seeds_of(SALT, draw="d0", **entrants)) & chosen[0]


def test_seeds_have_so_many_bits_that_a_search_finds_none():
    """All bits but the one that is always set vary, and no arithmetic leads from one seed to the next."""
    drawn = [secret_seeds.draw() for _ in range(200)] + seeds_of(SALT)
    assert all(seed >> 255 == 1 for seed in drawn)
    for bit in range(255):
        assert 60 < sum(seed >> bit & 1 for seed in drawn) < len(drawn) - 60, bit
    differences = {second - first for first, second in itertools.pairwise(drawn)}
    assert len(differences) == len(drawn) - 1
    assert all(abs(difference) > 1 << 128 for difference in differences)


def test_a_search_over_every_seed_that_can_be_typed_quickly_finds_no_match_of_a_site():
    """The attack: start the generator from many small seeds and compare with what was dealt."""
    dealt = generator(seeds_of(SALT)[0], "coup", "1").sample(range(15), 15)
    assert all(generator(small, "coup", "1").sample(range(15), 15) != dealt for small in range(20_000))
    small = generator(random.randrange(1 << 12), "coup", "1").sample(range(15), 15)
    assert any(generator(seed, "coup", "1").sample(range(15), 15) == small for seed in range(1 << 12))


def test_seatings_are_drawn_from_the_salt_too():
    drawn = {
        tuple(formats.schedule("drawn", 9, 4, 1, Seeds(salt, seed, Seeding.PLACED).of_seatings()))
        for salt in (SALT, "00" * 32)
        for seed in (1, 2)
    }
    assert len(drawn) == 4


def test_a_commitment_is_what_sha256sum_prints_and_none_where_it_would_tell_the_seed():
    assert secret_seeds.commitment(SALT) == hashlib.sha256(SALT.encode()).hexdigest()
    large = (1 << 255) + 1
    assert secret_seeds.commitment(large) == hashlib.sha256(str(large).encode()).hexdigest()
    assert [secret_seeds.commitment(secret) for secret in ("", 0, 1 << 31, (1 << 63) - 1)] == [""] * 4


@pytest.fixture
def salted(tournament, tmp_path):
    """An archive of a tournament of a site."""
    header, _ = tournament("samurai", 5)
    header = dataclasses.replace(header, salt=SALT, commitment=secret_seeds.commitment(SALT), draw="d0" * 32)
    scheduled_matches = formats.schedule(header.format, 5, 4, 1, header.seeds.of_seatings())
    seeds = header.seeds.of_schedule(scheduled_matches)
    matches = [play("samurai", header, *match) for match in zip(scheduled_matches, seeds, strict=True)]
    write_folder(tmp_path / "archive", header, matches)
    return tmp_path / "archive"


def test_an_archive_with_a_salt_is_verified_with_it(salted):
    report = verify(salted)
    assert (report.matches, report.differences) == (20, ())
    assert report.notes == (
        f"compare with what was published before the first match: {secret_seeds.commitment(SALT)}",
    )
    record = json.loads((salted / "matches/3/record.json").read_text())
    assert record["seed"] == str(from_json(json.dumps(record)).seed)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"salt": "00" * 32}, "manifest.json: commitment: not the SHA-256 of the salt"),
        ({"commitment": "00" * 32}, "manifest.json: commitment: not the SHA-256 of the salt"),
        (
            {"salt": "00" * 32, "commitment": secret_seeds.commitment("00" * 32)},
            "manifest.json: matches[0].seed: expected",
        ),
        ({"salt": "00" * 32}, "matches/0: not the match that the format and the seed schedule there"),
        ({"seed": 101}, "manifest.json: matches[0].seed: expected"),
        ({"draw": "d1" * 32}, "manifest.json: matches[0].seed: expected"),
        ({"salt": "5a"}, "manifest.json: salt: expected 64 hexadecimal digits, got '5a'"),
        ({"commitment": 5}, "manifest.json: commitment: expected 64 hexadecimal digits, got 5"),
        ({"seed": "5"}, "manifest.json: seed: expected a whole number from 0 to"),
        ({"seed": str(1 << 256)}, "manifest.json: seed: expected a whole number from 0 to"),
    ],
)
def test_a_secret_that_was_exchanged_afterwards_is_found(salted, changes, words):
    manifest = json.loads((salted / "manifest.json").read_text())
    (salted / "manifest.json").write_text(json.dumps(manifest | changes))
    assert words in "\n".join(verify(salted).differences)


def test_a_salt_that_is_taken_out_is_found(salted):
    manifest = json.loads((salted / "manifest.json").read_text())
    del manifest["salt"]
    (salted / "manifest.json").write_text(json.dumps(manifest))
    assert "commitment: not the SHA-256 of the seed" in "\n".join(verify(salted).differences)


def test_an_entrant_exchanged_afterwards_does_not_fit_the_seeds(salted):
    manifest = json.loads((salted / "manifest.json").read_text())
    manifest["entrants"][0]["submission"] = "ab"
    (salted / "manifest.json").write_text(json.dumps(manifest))
    assert "manifest.json: matches[0].seed: expected" in "\n".join(verify(salted).differences)
