"""Roller: rolls, every time. A coin is a coin."""


def move(player, g):
    return [0]
