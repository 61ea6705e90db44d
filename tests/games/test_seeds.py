"""What a bot sees of a match's chance tells neither its seed nor what comes next."""

import copy
import pickle
import random
from collections import Counter

import pytest

from games.core import seeds
from games.core.manifest import all_games, referee
from games.core.seeds import LARGE, LARGEST_SEED

SMALL, SECRET = 7, (1 << 255) + 12345


def untempered(output):
    """The word of a Mersenne Twister's state that this output was made of."""
    output ^= output >> 18
    output ^= output << 15 & 0xEFC60000
    word = output
    for _ in range(5):
        word = output ^ word << 7 & 0x9D2C5680
    output = word
    for _ in range(3):
        word = output ^ word >> 11
    return word


def copied(chance):
    """The attack: a generator made of nothing but 624 outputs of another one."""
    words = [untempered(chance.getrandbits(32)) for _ in range(624)]
    return rebuilt(words)


def rebuilt(words):
    twin = random.Random()
    twin.setstate((3, (*words, 624), None))
    return twin


def test_the_attack_foretells_the_rest_of_a_match_from_a_seed_for_people():
    chance = seeds.generator(SMALL, "camel_up", "1")
    twin = copied(chance)
    assert [twin.getrandbits(32) for _ in range(1000)] == [chance.getrandbits(32) for _ in range(1000)]


@pytest.mark.parametrize("seed", [LARGE, SECRET, LARGEST_SEED])
def test_the_attack_foretells_nothing_of_a_match_from_a_secret_seed(seed):
    chance = seeds.generator(seed, "camel_up", "1")
    twin = copied(chance)
    hits = sum(twin.getrandbits(32) == chance.getrandbits(32) for _ in range(1000))
    assert hits <= 1
    assert not any(isinstance(part, tuple) for part in chance.getstate())  # there is no twister inside


@pytest.mark.parametrize("bit", [0, 1, 52, 53, 63, 64, 128, 200, 255])
def test_every_bit_of_a_secret_seed_changes_the_whole_match(bit):
    original, flipped = (seeds.generator(seed, "coup", "1") for seed in (SECRET, SECRET ^ 1 << bit))
    differing = bin(original.getrandbits(4096) ^ flipped.getrandbits(4096)).count("1")
    assert 1800 < differing < 2300  # half of the bits, within seven standard deviations


def test_game_and_version_change_the_match():
    drawn = {
        seeds.generator(SECRET, *game_and_version).getrandbits(64)
        for game_and_version in (("a", "1"), ("b", "1"), ("a", "2"))
    }
    assert len(drawn) == 3


@pytest.mark.parametrize("info", all_games(), ids=lambda info: info.slug)
def test_a_game_draws_all_its_chance_from_the_seeds_own_generator(info):
    for seed, kind in ((LARGE - 1, random.Random), (LARGE, seeds.Stream)):
        assert type(referee(info)(info.min_seats, seed).rng) is kind


def test_secret_chance_is_fair():
    chance = seeds.generator(SECRET, "camel_up", "1")
    dice = Counter(chance.randrange(3) for _ in range(30_000))
    assert all(9_500 < dice[side] < 10_500 for side in range(3))
    places = Counter(chance.sample(range(5), 5).index(2) for _ in range(10_000))
    assert all(1_800 < places[place] < 2_200 for place in range(5))
    assert 0.49 < sum(chance.random() for _ in range(10_000)) / 10_000 < 0.51


def test_a_copied_game_goes_on_as_its_original():
    chance = seeds.generator(SECRET, "coup", "1")
    chance.random(), chance.gauss()
    twins = copy.copy(chance), copy.deepcopy(chance), pickle.loads(pickle.dumps(chance))  # noqa: S301
    drawn = [generator.sample(range(100), 20) for generator in (chance, *twins)]
    assert drawn == [drawn[0]] * 4


def test_the_bytes_of_secret_chance_are_those_of_sha_256_in_counter_mode():
    """Pinned: records of matches that were played with it must replay."""
    chance = seeds.generator(SECRET, "coup", "1")
    assert (
        chance.getrandbits(64) == 0x153D9E8324814B4F
    )  # the first bytes of SHA-256(SHA-256(seed, game, version), 0)
    assert chance.sample(range(15), 5) == [7, 10, 6, 1, 3]


@pytest.mark.parametrize("seed", [-5, 0, 1, (1 << 53) + 1, LARGE - 1])
def test_a_small_seed_is_a_number_in_json(seed):
    assert seeds.to_data(seed) == seed


@pytest.mark.parametrize("seed", [LARGE, SECRET, LARGEST_SEED])
def test_a_large_seed_is_text_in_json_that_no_reader_rounds(seed):
    assert seeds.to_data(seed) == str(seed)
    assert seeds.from_text(str(seed)) == seed


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1",
        str(LARGE - 1),
        str(LARGEST_SEED + 1),
        "9" * 79,
        f"0{LARGE}",
        f"+{LARGE}",
        f" {LARGE}",
        "٣" * 30,
    ],
)
def test_what_is_no_large_seed_is_none(text):
    assert seeds.from_text(text) is None
