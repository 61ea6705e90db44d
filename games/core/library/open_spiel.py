"""Games of OpenSpiel (https://github.com/google-deepmind/open_spiel), driven state by state.

A player of a game with hidden information is sent its information state: all that it has seen so far. Of a
game without, the observation: the board. Chance is drawn from the match's seed (chance.py).

Needs the extra: pip install 'agon[open_spiel]'.
"""

import difflib
import functools
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
MOST_TRIED = 60  # changes of the past, to find one that a seat has not seen
Move = tuple[int, int]  # the player, or CHANCE, and the action


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
        """Play the game again with one or two other hidden moves, and all that this seat has seen."""
        past = [(move.player, move.action) for move in self.state.full_history()]
        hidden = [place for place, (player, _) in enumerate(past) if player != seat]
        if not _hides(self.library) or not hidden:
            return False
        seen = [text for _, text in self._again(past, {}, seat, rng)]
        for _ in range(MOST_TRIED):
            twin = self._twin(self._again(past, _other_moves(past, hidden, rng), seat, rng), seen)
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

    def _twin(self, again: Iterator[tuple[Any, str]], seen: Sequence[str]) -> Any:
        """The last state, if the seat has seen the same up to there and it is the same player's turn."""
        for count, ((twin, text), wanted) in enumerate(zip(again, seen, strict=False), 1):
            if text != wanted:
                return None
            if count == len(seen) and twin.current_player() == self.state.current_player():
                return twin
        return None

    def _again(
        self, past: Sequence[Move], changed: Mapping[int, int | None], seat: int, rng: random.Random
    ) -> Iterator[tuple[Any, str]]:
        """Make these moves, some of them changed: the state after each, and what the seat sees then.

        changed: by place in the past. None: any other move. It ends where a move is not legal.
        """
        state, place = self.library.new_initial_state(), 0
        while place < len(past):
            together = self.seats if state.is_simultaneous_node() else 1
            moves = {}
            for here in range(place, place + together):
                player, action = past[here]
                wanted = changed.get(here, action)
                legal = (state.legal_actions(player) if together > 1 else state.legal_actions()) or [0]
                options = [
                    option for option in legal if (option != action if wanted is None else option == wanted)
                ]
                if not options or (together == 1 and state.current_player() != player):
                    return
                moves[player] = rng.choice(options)
            _apply(state, moves, self.seats)
            place += together
            yield state, _seen(self.library, state, seat)


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
    if kind.utility == pyspiel.GameType.Utility.IDENTICAL:
        return "all its players get the same, so none can win"
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


def _other_moves(past: Sequence[Move], hidden: Sequence[int], rng: random.Random) -> Mapping[int, int | None]:
    """Another move at one of these places, or the moves of two of them swapped, as of two cards dealt."""
    first, second = rng.choice(hidden), rng.choice(hidden)
    if first == second or rng.random() < 0.5:
        return {first: None}
    return {first: past[second][1], second: past[first][1]}
