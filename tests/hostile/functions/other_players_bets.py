"""Looks for the camels that the other players have bet on in secret. In camel_up. Expect: held"""

import gc, json, sys
from playerinterface import PlayerInterface


class Attack(PlayerInterface):
    def move(player, gamestate):
        frame = sys._getframe(1)
        while frame is not None:
            for value in list(frame.f_locals.values()):
                if isinstance(value, str) and value.startswith("{"):
                    value = json.loads(value)
                if isinstance(value, dict) and "player_game_bets" in value:
                    look(player, value)
            frame = frame.f_back
        look(player, vars(gamestate))
        for thing in gc.get_objects():
            if type(thing).__name__ == "Tokens" and any(
                f"player {n}" in where for where, _ in thing._made for n in range(4) if n != player
            ):
                print("FOUND a token of another's", file=sys.stderr)
        return [0]


def look(player, state):
    for seat, camels in enumerate(state["player_game_bets"]):
        if seat != player and any(camel is not None for camel in camels):
            print("FOUND a bet of another's", camels, file=sys.stderr)
    for bets in ("game_winner_bets", "game_loser_bets"):
        if any(camel is not None and seat != player for camel, seat in state[bets]):
            print("FOUND a bet of another's", state[bets], file=sys.stderr)
