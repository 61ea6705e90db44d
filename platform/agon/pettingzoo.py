"""Games as environments of PettingZoo, to train a bot or to let a language model play.

    from agon.pettingzoo import SeatByTurn

    env = SeatByTurn("my_game")
    env.reset(seed=7)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        env.step(None if terminated or truncated else my_bot(info["text"]))

`SeatByTurn` is an AEC environment: seats answer one after the other. `SeatsAtOnce` is a parallel one, of
games that ask all seats at once. Both are the game's referee, through the driver that plays matches: the same
views, the same scores, the same judgment of moves that are not legal. Neither has a clock.

- What a bot reads, the text since its seat was last asked, is `info["text"]`. The observation is the same as
  UTF-8 bytes, with zeros behind it; of a longer text, the end. Of a game that runs programs for each move,
  the first line of the text is the arguments, and the rest is the file.
- An action is what a bot writes: a line. Of such a game, the first line is appended to the file, and the rest
  is printed.
- The reward is the seat's score, once the match is over. `info` has it exactly ("7/2"), and the rank.
- An action that is not legal is a fault, as in a match: `info` says why, and the manifest of the game decides
  what follows.

Needs the extra: pip install 'agon[pettingzoo]'.
"""

import random
import string
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Space, Text
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv

from agon.contest.reasons import english
from games.core.driver import Driver, Reply, Request
from games.core.game import Invocation, Json
from games.core.manifest import Channel, load
from games.core.match_log import MatchLog
from games.core.record import SeatInfo

LONGEST_ACTION = 200  # characters of a sampled action; `step` takes longer ones
OBSERVATION_BYTES = 1 << 14
NO_MATCH = "no match is being played: reset() begins one"
Info = dict[str, Any]
Bytes = NDArray[np.uint8]


class _Match:
    """A match whose seats are agents ("seat_0"), and what PettingZoo wants to know of each."""

    def __init__(self, slug: str, seats: int | None) -> None:
        """seats: by default the fewest of the game. Raises UnknownGame, BadManifest, ValueError."""
        self.info = load(slug)
        self.seats = self.info.min_seats if seats is None else seats
        self.names = [f"seat_{seat}" for seat in range(self.seats)]
        self.observations: dict[str, Space[Any]] = {
            name: Box(0, 255, (OBSERVATION_BYTES,), np.uint8) for name in self.names
        }
        self.actions: dict[str, Space[Any]] = {
            name: Text(LONGEST_ACTION, min_length=0, charset=frozenset(string.printable))
            for name in self.names
        }
        self.seen: dict[str, Bytes] = {}
        self._seeds = random.Random()
        Driver(self.info, self.seats, 0)  # so that a wrong number of seats is refused here

    def begin(self, seed: int | None) -> None:
        """A new match. seed: of it and, where none is given, of those that follow it."""
        if seed is not None:
            self._seeds.seed(seed)
        self.driver = Driver(self.info, self.seats, self._seeds.getrandbits(63))
        self.seen = {name: _bytes("") for name in self.names}
        self.infos: dict[str, Info] = {name: {} for name in self.names}
        self._see()

    @property
    def pending(self) -> list[str]:
        return [self.names[request.seat] for request in self.driver.pending]

    def answer(self, actions: Mapping[str, str]) -> None:
        """Answer for the seats that are asked; actions of others are left alone."""
        before = len(self.driver.faults)
        self.driver.answer(
            {
                request.seat: Reply(self._raw(actions[self.names[request.seat]]))
                for request in self.driver.pending
            }
        )
        self.infos = {name: {} for name in self.names}
        for fault in self.driver.faults[before:]:
            self.infos[self.names[fault.seat]]["fault"] = english(fault.reason)
        self._see()
        if self.driver.finished:
            for name, score, rank in zip(self.names, self.driver.scores, self.driver.ranks, strict=True):
                self.infos[name] |= {"score": str(score), "rank": rank}

    def rewards(self) -> dict[str, float]:
        scores = self.driver.scores or (Fraction(0),) * self.seats
        return {name: float(score) for name, score in zip(self.names, scores, strict=True)}

    def log(self) -> MatchLog:
        """The match, once it is over. Raises ValueError before."""
        return self.driver.log([SeatInfo(name, "") for name in self.names])

    def _see(self) -> None:
        for request in self.driver.pending:
            name, text = self.names[request.seat], _text(request)
            self.seen[name] = _bytes(text)
            self.infos[name] |= {"kind": request.kind, "text": text}

    def _raw(self, action: str) -> Json:
        if self.info.channel != Channel.PROGRAM:
            return action
        appended, _, printed = action.partition("\n")
        return {"appended": appended, "stdout": printed}


class SeatByTurn(AECEnv[str, Bytes, str]):
    """A game whose seats answer one after the other. None sees the answers of others to the same ask."""

    def __init__(self, slug: str, seats: int | None = None) -> None:
        self._match = _Match(slug, seats)
        self.metadata = {"name": slug, "render_modes": [], "is_parallelizable": False}
        self.render_mode = None
        self.agent_selection = ""
        self.agents: list[str] = []
        self.possible_agents = self._match.names
        self.observation_spaces, self.action_spaces = self._match.observations, self._match.actions

    def observation_space(self, agent: str) -> Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Info | None = None) -> None:
        """Begin a match. The seed is its seed's seed: the match's own one is drawn from it."""
        self._match.begin(seed)
        self.agents = self.possible_agents[:]
        self._answers: dict[str, str] = {}
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._take_stock()

    def observe(self, agent: str) -> Bytes:
        """What the agent was last sent. Raises RuntimeError before a match, ValueError for no agent."""
        if not self._match.seen:
            raise RuntimeError(NO_MATCH)
        if agent not in self._match.seen:
            raise ValueError(f"expected one of {', '.join(self.possible_agents)}, got {agent!r:.80}")
        return self._match.seen[agent]

    def step(self, action: str | None) -> None:
        """Take an action of the agent whose turn it is; None if its match is over.

        Raises TypeError for what is no text, ValueError for a text after the end, RuntimeError where there is
        no match.
        """
        if not self.agents:
            raise RuntimeError(NO_MATCH)
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._answers[agent] = _checked(agent, action)
        self._cumulative_rewards[agent] = 0.0
        if waiting := [name for name in self._match.pending if name not in self._answers]:
            self.agent_selection = waiting[0]
            self._clear_rewards()
            return
        answers, self._answers = self._answers, {}
        self._match.answer(answers)
        self._take_stock()
        self._accumulate_rewards()

    def log(self) -> MatchLog:
        """The match, once it is over. Raises ValueError before."""
        return self._match.log()

    def _take_stock(self) -> None:
        over = self._match.driver.finished
        self.rewards = self._match.rewards()
        self.infos = self._match.infos
        self.terminations = dict.fromkeys(self.agents, over)
        self.truncations = dict.fromkeys(self.agents, False)
        self.agent_selection = self.agents[0] if over else self._match.pending[0]


class SeatsAtOnce(ParallelEnv[str, Bytes, str]):
    """A game that asks all seats at once. Raises ValueError for one that does not."""

    def __init__(self, slug: str, seats: int | None = None) -> None:
        self._match = _Match(slug, seats)
        self.metadata = {"name": slug, "render_modes": []}
        self.render_mode = None
        self.agents: list[str] = []
        self.possible_agents = self._match.names
        self.observation_spaces, self.action_spaces = self._match.observations, self._match.actions
        self._match.begin(0)
        if self._match.pending != self.possible_agents:
            raise ValueError(f"{slug} asks {self._match.pending}, not all seats at once: use SeatByTurn")

    def observation_space(self, agent: str) -> Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[Any]:
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: Info | None = None
    ) -> tuple[dict[str, Bytes], dict[str, Info]]:
        """Begin a match. The seed is its seed's seed: the match's own one is drawn from it."""
        self._match.begin(seed)
        self.agents = self.possible_agents[:]
        return dict(self._match.seen), self._match.infos

    def step(
        self, actions: dict[str, str]
    ) -> tuple[dict[str, Bytes], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Info]]:
        """Take one action of each agent. Those of others than the seats that are asked change nothing.

        Raises TypeError for what is no text by agent, ValueError for an agent that there is not, RuntimeError
        where there is no match.
        """
        if not self.agents:
            raise RuntimeError(NO_MATCH)
        if not isinstance(actions, Mapping):
            raise TypeError(f"the actions: expected a dict of texts by agent, got {actions!r:.80}")
        if unknown := actions.keys() - set(self.agents):
            raise ValueError(f"expected actions of {', '.join(self.agents)}, got one of {min(unknown)!r:.80}")
        self._match.answer({agent: _checked(agent, actions.get(agent)) for agent in self.agents})
        over = self._match.driver.finished
        agents, rewards = self.agents, self._match.rewards()
        if over:
            self.agents = []
        over_by_agent, never = dict.fromkeys(agents, over), dict.fromkeys(agents, False)
        return dict(self._match.seen), rewards, over_by_agent, never, self._match.infos

    def log(self) -> MatchLog:
        """The match, once it is over. Raises ValueError before."""
        return self._match.log()


def _text(request: Request) -> str:
    view = request.view
    return f"{' '.join(view.args)}\n{view.file}" if isinstance(view, Invocation) else view


def _bytes(text: str) -> Bytes:
    """The end of the text, with zeros behind it."""
    end = np.frombuffer(text.encode()[-OBSERVATION_BYTES:], np.uint8)
    return np.pad(end, (0, OBSERVATION_BYTES - len(end)))


def _checked(agent: str, action: object) -> str:
    if not isinstance(action, str):
        raise TypeError(f"the action of {agent}: expected text, as a bot writes it, got {action!r:.80}")
    return action
