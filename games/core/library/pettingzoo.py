"""The classic environments of PettingZoo (https://pettingzoo.farama.org), driven step by step as AEC.

What a seat sees is its own observation, as rows of numbers, and its moves are the numbers of its actions, of
which the mask says which are legal. These environments draw by themselves, so each is reset with a seed from
the match's own.

Needs the extra: pip install 'agon[pettingzoo]', and what an environment imports besides.
"""

import ast
import difflib
import random
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from games.core.library.referee import Event, Facts, LibraryGame, Refused
from games.core.toml_fields import BadManifest

try:
    import numpy as np
    from gymnasium.spaces import Discrete
    from pettingzoo import aec_registry, make
except ImportError as missing:  # not there, or older than 1.27
    raise BadManifest(f"PettingZoo is needed: pip install --upgrade 'pettingzoo>=1.27' ({missing})") from None

MOST_MOVES = 5_000  # PettingZoo does not say how long a match may be: what was got until then counts
SEED_BITS = 63
MOST_TRIED = 30  # seeds, to find one in which a seat has seen the same
# What environments import that plays a part in a match, and is thus pinned with PettingZoo: by module.
RULES_OF_OTHERS = {"chess": "chess", "pyspiel": "open_spiel", "rlcard": "rlcard", "shimmy": "shimmy"}


class PettingZooGame(LibraryGame):
    """An environment whose `source` is a name with arguments, such as "classic/go-v5(board_size=9)"."""

    def begin(self) -> Sequence[Event]:
        self._begin(self.rng.getrandbits(SEED_BITS))
        return []

    def asked(self) -> tuple[int, ...]:
        if not self.env.agents or len(self._past) >= MOST_MOVES:
            return ()
        return (self._names.index(self.env.agent_selection),)

    def sees(self, seat: int) -> str:
        return _rows(_observation(self.env, self._names[seat]))

    def legal(self, seat: int) -> Sequence[tuple[str, int]]:
        name = self._names[seat]
        seen, space = self.env.observe(name), self.env.action_space(name)
        mask = seen.get("action_mask") if isinstance(seen, Mapping) else None
        if mask is None:
            mask = self.env.infos[name].get("action_mask", [1] * int(space.n))
        return [(str(action), action) for action, may in enumerate(np.asarray(mask), int(space.start)) if may]

    def carry_out(self, moves: Mapping[int, int]) -> Sequence[Event]:
        ((seat, action),) = moves.items()
        self._step(seat, action)
        return [(seat, str(action))]

    def drawn(self) -> str:
        """A board as the first seat sees it; of other observations, those of all seats."""
        seen = [_observation(self.env, name) for name in self._names]
        if seen[0].ndim == 3:
            return _board(seen[0])
        return "\n".join(_rows(observation) for observation in seen)

    def totals(self) -> Sequence[float]:
        return self._totals

    def redeal(self, seat: int, rng: random.Random) -> bool:
        """Play the same moves again with other seeds, until one leaves all that this seat has seen."""
        seed, past = self._seed, self._past
        seen = self._again(seed, past, seat)
        for _ in range(MOST_TRIED):
            if self._again(rng.getrandbits(SEED_BITS), past, seat) == seen:
                return True
        self._again(seed, past, seat)
        return False

    def _begin(self, seed: int) -> None:
        self._seed = seed
        self.env = _made(self.source)
        self.env.reset(seed=seed)
        self._names: list[str] = list(self.env.possible_agents)
        self._totals = [0.0] * self.seats
        self._past: list[tuple[int, int]] = []
        self._moves = {}

    def _again(self, seed: int, past: Sequence[tuple[int, int]], seat: int) -> list[str] | None:
        """Make these moves from this seed; what the seat has seen, None if they cannot be made."""
        self._begin(seed)
        seen = []
        for mover, action in past:
            if self.asked() != (mover,) or str(action) not in self.moves(mover):
                return None
            seen += [self._seen(seat)] if mover == seat else []
            self._step(mover, action)
        return seen + [self._seen(asked) for asked in self.asked() if asked == seat]

    def _seen(self, seat: int) -> str:
        """What the environment shows this agent when it is its turn, legal actions included."""
        return f"{_rows(_observation(self.env, self._names[seat]))} {self.legal(seat)}"

    def _step(self, seat: int, action: int) -> None:
        """Take the action, count what it brought, and have agents leave whose game is over."""
        self.env.step(action)
        self._past.append((seat, action))
        self._moves = {}
        for place, name in enumerate(self._names):
            self._totals[place] += float(self.env.rewards.get(name, 0))
        while self.env.agents and self._is_over(self.env.agent_selection):
            self.env.step(None)

    def _is_over(self, name: str) -> bool:
        return bool(self.env.terminations[name] or self.env.truncations[name])


TITLE, GAME = "PettingZoo", PettingZooGame


def facts(name: str) -> Facts:
    """What PettingZoo says of a game. Raises Refused if there is none, or it cannot be played here.

    name: the environment's, with or without its family and version: "classic/go-v5(board_size=9)", "go".
    """
    asked = name.partition("(")[0]
    classic = sorted(env_name for env_name in aec_registry if env_name.startswith("classic/"))
    matching = [env_name for env_name in classic if asked in _names_of(env_name)]
    if not matching:
        short = [_names_of(env_name)[-1] for env_name in classic]
        near = difflib.get_close_matches(asked, short, 3)
        there = f"near it are {', '.join(near)}" if near else f"there are {', '.join(short)}"
        raise Refused(f"PettingZoo has no classic environment {asked[:60]!r}; {there}")
    try:
        values = ", ".join(f"{argument}={value!r}" for argument, value in _parsed(name)[1].items())
        source = f"{matching[-1]}({values})"
        env = _made(source)
        env.reset(seed=0)
    except Exception as error:  # whatever an environment raises for arguments that it does not take
        if isinstance(error.__cause__, ImportError):
            raise Refused(
                f"{asked} of PettingZoo needs {error.__cause__.name}, which is not installed: "
                "pip install 'pettingzoo[classic]', or that package alone"
            ) from None
        raise Refused(f"PettingZoo cannot make {name[:120]!r}: {str(error)[:300]}") from None
    if not all(isinstance(env.action_space(agent), Discrete) for agent in env.possible_agents):
        raise Refused(f"{asked} of PettingZoo cannot be played here: its actions are no numbered moves")
    libraries = ("pettingzoo", *(name for module, name in RULES_OF_OTHERS.items() if module in sys.modules))
    title = _names_of(matching[-1])[-1].replace("_", " ").title()
    return Facts(source, title, len(env.possible_agents), libraries)


def _names_of(environment: str) -> tuple[str, ...]:
    """All names under which it is found, the shortest last."""
    with_version = environment.rpartition("/")[2]
    name, _, version = with_version.rpartition("-")
    return environment, with_version, f"{name}_{version}", name


def _made(source: str) -> Any:
    """The environment of a source. Raises what _parsed does, make, or the environment."""
    environment, values = _parsed(source)
    return make("aec", environment, **values)


def _parsed(source: str) -> tuple[str, Mapping[str, Any]]:
    """The environment and its arguments. Raises SyntaxError, ValueError."""
    environment, _, arguments = source.partition("(")
    call = ast.parse(f"f({arguments.removesuffix(')')})", mode="eval").body
    if not isinstance(call, ast.Call) or call.args:
        raise ValueError("expected arguments as in go(board_size=9)")
    return environment, {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}


def _observation(env: Any, name: str) -> Any:
    seen = env.observe(name)
    return np.asarray(seen["observation"] if isinstance(seen, Mapping) else seen)


def _rows(seen: Any) -> str:
    """A line for each row; of a board, a cell's planes are one word."""
    whole = seen.dtype.kind in "biu"
    values, number = (seen.astype(np.int64), str) if whole else (seen, _number)
    if values.ndim < 2:
        return " ".join(map(number, values.reshape(-1).tolist()))
    joint = "" if whole and values.max(initial=0) < 2 and values.min(initial=0) >= 0 else ","
    cells = values.reshape(*values.shape[:2], -1).tolist()
    return "\n".join(" ".join(joint.join(map(number, cell)) for cell in row) for row in cells)


def _board(seen: Any) -> str:
    """A character for each cell: the first plane that it is in, or a dot."""
    signs = "0123456789abcdefghijklmnopqrstuvwxyz"
    rows = [[next((plane for plane, there in enumerate(cell) if there), -1) for cell in row] for row in seen]
    return "\n".join(" ".join("." if sign < 0 else signs[sign % 36] for sign in row) for row in rows)


def _number(value: Any) -> str:
    return str(int(value)) if float(value).is_integer() else repr(float(value))
