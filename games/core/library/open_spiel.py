"""Games of OpenSpiel (https://github.com/google-deepmind/open_spiel), driven state by state.

A player of a game with hidden information is sent its information state: all that it has seen so far. Of a
game without, the observation: the board. Chance is drawn from the match's seed (chance.py).

Needs the extra: pip install 'agon[open_spiel]'.
"""

from __future__ import annotations

import difflib
import functools
import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from games.core.game import Score
from games.core.library.chance import draw
from games.core.library.referee import CHANCE, Event, Facts, LibraryGame, Refused, exact
from games.core.toml_fields import BadManifest

try:
    import pyspiel
except ImportError as missing:
    raise BadManifest(f"OpenSpiel is needed: pip install 'agon[open_spiel]' ({missing})") from None

MOST_MOVES = 20_000
MOST_OUTCOMES = 100_000
MOST_TRIED = 60  # outcomes at one point of the game, to find one that a seat cannot tell from the real one


class OpenSpielGame(LibraryGame):
    """A game whose `source` OpenSpiel can load, such as "breakthrough(columns=6,rows=6)"."""

    def __init__(self, seats: int, seed: int) -> None:
        super().__init__(seats, seed)
        self.library = _loaded(self.source)
        self.state = self.library.new_initial_state()

    def begin(self) -> Sequence[Event]:
        return self._chance()

    def asked(self) -> tuple[int, ...]:
        if self.state.is_terminal():
            return ()
        if self.state.is_simultaneous_node():
            return tuple(seat for seat in range(self.seats) if self.state.legal_actions(seat))
        return (self.state.current_player(),)

    def sees(self, seat: int) -> str:
        return _seen(self.library, self.state, seat)

    def legal(self, seat: int) -> Sequence[tuple[str, int]]:
        return [
            (self.state.action_to_string(seat, action), action) for action in self.state.legal_actions(seat)
        ]

    def carry_out(self, moves: Mapping[int, int]) -> Sequence[Event]:
        events = [(seat, self.state.action_to_string(seat, action)) for seat, action in moves.items()]
        _apply(self.state, moves, self.seats)
        return [*events, *self._chance()]

    def drawn(self) -> str:
        return str(self.state)

    def totals(self) -> Sequence[float]:
        return [float(total) for total in self.state.returns()]

    def forfeited(self, seats: frozenset[int]) -> Sequence[Score]:
        """The least that the game can bring for those who forfeit, the most for the others."""
        least, most = exact(self.library.min_utility()), exact(self.library.max_utility())
        return [least if seat in seats else most for seat in range(self.seats)]

    def redeal(self, seat: int, rng: random.Random) -> bool:
        """Play the game again, with other hidden moves that leave all that this seat has seen."""
        if not _hides(self.library):
            return False
        past = self.state.full_history()
        for _ in range(5):
            twin = self._twin(past, seat, rng)
            if twin is not None:
                self.state, self._moves = twin, {}
                return True
        return False

    def _chance(self) -> list[Event]:
        """Draw until a seat has to move, or the game is over."""
        events = []
        while self.state.is_chance_node():
            drawn = draw(self.state.chance_outcomes(), self.rng)
            events.append((CHANCE, self.state.action_to_string(drawn)))
            self.state.apply_action(drawn)
        return events

    def _twin(self, past: Sequence[Any], seat: int, rng: random.Random) -> Any:
        """A state that this seat cannot tell from the one with this past; None if none was found."""
        real, twin = self.library.new_initial_state(), self.library.new_initial_state()
        made = iter(past)
        while not real.is_terminal() and (first := next(made, None)) is not None:
            count = self.seats if real.is_simultaneous_node() else 1
            moves = {each.player: each.action for each in (first, *itertools.islice(made, count - 1))}
            _apply(real, moves, self.seats)
            seen = _seen(self.library, real, seat)
            options = itertools.islice(_options(twin, moves, seat, self.seats, rng), MOST_TRIED)
            children = (_after(twin, option, self.seats) for option in options)
            twin = next((each for each in children if _alike(self.library, each, real, seat, seen)), None)
            if twin is None:
                return None
        return twin


TITLE, GAME = "OpenSpiel", OpenSpielGame


def facts(name: str) -> Facts:
    """What OpenSpiel says of a game. Raises Refused if there is none, or it cannot be played here."""
    short = name.partition("(")[0]
    known = pyspiel.registered_names()
    if short not in known:
        near = difflib.get_close_matches(short, known, 3)
        hint = f"; near it are {', '.join(near)}" if near else f"; it has {len(known)}, such as connect_four"
        raise Refused(f"OpenSpiel has no game {short[:60]!r}{hint}")
    try:
        game = _loaded(name)
    except Exception as error:  # SpielError for most parameters, but whatever C++ throws for others
        raise Refused(f"OpenSpiel cannot load {name[:120]!r}: {' '.join(str(error).split())[:300]}") from None
    if why := _why_not(game):
        raise Refused(f"{short} of OpenSpiel cannot be played here: {why}")
    return Facts(str(game), game.get_type().long_name, game.num_players(), ("open_spiel",))


def _why_not(game: Any) -> str:
    kind = game.get_type()
    if kind.dynamics == pyspiel.GameType.Dynamics.MEAN_FIELD:
        return "it is a mean-field game, without single players"
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        return "it draws by itself and cannot say what may be drawn, so a seed would not give the same match"
    if "filename" in game.get_parameters():
        return "it reads a file, which other machines do not have"
    if game.num_players() < 2:
        return "it is for one player, and a match has two or more"
    if not (kind.provides_observation_string or kind.provides_information_state_string):
        return "it cannot say in text what a player sees"
    if game.max_game_length() > MOST_MOVES:
        return f"a match may take {game.max_game_length()} moves, and {MOST_MOVES} are the most"
    if game.max_chance_outcomes() > MOST_OUTCOMES:
        return f"chance has {game.max_chance_outcomes()} outcomes at once, and {MOST_OUTCOMES} are the most"
    return ""


@functools.cache
def _loaded(name: str) -> Any:
    return pyspiel.load_game(name)


def _hides(game: Any) -> bool:
    return bool(game.get_type().information == pyspiel.GameType.Information.IMPERFECT_INFORMATION)


def _seen(game: Any, state: Any, seat: int) -> str:
    kind = game.get_type()
    whole = kind.provides_information_state_string and (_hides(game) or not kind.provides_observation_string)
    return str(state.information_state_string(seat) if whole else state.observation_string(seat))


def _apply(state: Any, moves: Mapping[int, int], seats: int) -> None:
    """moves: by seat. At once, or of the one whose turn it is; seats that have no move get a 0."""
    if state.is_simultaneous_node():
        state.apply_actions([moves.get(seat, 0) for seat in range(seats)])
    else:
        (action,) = moves.values()
        state.apply_action(action)


def _options(
    state: Any, moves: Mapping[int, int], seat: int, seats: int, rng: random.Random
) -> Iterator[Mapping[int, int]]:
    """What might be done here in place of `moves`, in random order. The seat itself does the same."""
    if state.is_terminal():
        return
    if state.is_chance_node():
        outcomes = [action for action, probability in state.chance_outcomes() if probability > 0]
        yield from ({CHANCE: action} for action in rng.sample(outcomes, len(outcomes)))
        return
    movers = range(seats) if state.is_simultaneous_node() else (state.current_player(),)
    for _ in range(MOST_TRIED):
        legal = {each: state.legal_actions(each) or [0] for each in movers}
        if seat in legal and moves.get(seat) not in legal[seat]:
            return
        yield {each: moves[seat] if each == seat else rng.choice(legal[each]) for each in movers}


def _after(state: Any, moves: Mapping[int, int], seats: int) -> Any:
    child = state.clone()
    _apply(child, moves, seats)
    return child


def _alike(game: Any, twin: Any, real: Any, seat: int, seen: str) -> bool:
    """Whether the same players are to move, and the seat sees the same. seen: in the real one."""
    return bool(twin.current_player() == real.current_player()) and _seen(game, twin, seat) == seen
