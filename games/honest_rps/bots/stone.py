"""stone: rock. Always claimed, always thrown."""


def stone(their_past, my_past, their_claim, my_claim):
    return "R"
