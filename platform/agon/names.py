"""Names that people give to themselves and to their bots: when are two of them the same to the eye?"""

from unicodedata import normalize


def folded(name: str) -> str:
    """What is left of a name without upper and lower case, width and ligatures.

    Databases do not agree on it: SQLite folds ASCII alone, PostgreSQL letter by letter by its locale's rules.
    So the folded name is kept beside the name, and compared.
    """
    return normalize("NFKC", normalize("NFKC", name).casefold())


def refolded(kept: str, name: str) -> str:
    """What is to be kept beside `name`, beside which `kept` is kept ("" at first): new where the name is new.

    Of names from before that turned out to be the same, all but one have a mark behind a # (in no name).
    """
    now = folded(name)
    return kept if kept.partition("#")[0] == now else now
