"""Text for people: one printable line of readable length, whatever a bot sent."""

from fractions import Fraction

from games.core.reason import Reason

LONGEST_REASON = 200
LONGEST_QUOTE = 40
LONGEST_NUMBER = 20
RETURNED = "returned "  # how adapters report a call of a Python function that returned no move


def shorten(text: str, most: int) -> str:
    """`text` as one line without control characters. A long text is cut after a word, with a note."""
    line = "".join(c if c.isprintable() else " " for c in text)
    if len(line) <= most:
        return line
    room = most - len(f"... ({len(line)} more characters)")
    start = line[:room]
    kept = start.rpartition(" ")[0] if line[room] != " " else start
    kept = kept if len(kept) > room // 2 else start  # one very long word
    return f"{kept}... ({len(line) - len(kept)} more characters)"


def clip(text: str, most: int = LONGEST_REASON) -> str:
    """`text` as one line without control characters, at most `most` characters long.

    Replays derive reasons with it. If it cut differently, stored records would not equal their replays.
    """
    line = "".join(c if c.isprintable() else " " for c in text[: most + 1])
    return line if len(line) <= most else line[: most - 3] + "..."


def quote(text: str, most: int = LONGEST_QUOTE) -> str:
    """`text` in quotes, newlines and unprintable characters escaped; only its beginning if it is long."""
    if len(text) <= most:
        return repr(text)
    return f"{text[:most]!r}... ({len(text)} characters)"


def describe_reply(line: str, most: int) -> Reason:
    """A bot's answer, to follow what was expected: `got 'X'`. Quotes at most `most` characters."""
    if not line:
        return Reason("got_empty_line")
    if line.startswith(RETURNED):
        return Reason("function_returned", value=clip(line.removeprefix(RETURNED), most))
    return Reason("got_text", text=quote(line, most))


def exact(score: str | int | Fraction) -> str:
    """An exact score: "12", "3 1/2", "−4"."""
    value = Fraction(score)
    whole, rest = divmod(abs(value), 1)
    sign = "−" if value < 0 else ""
    if not rest:
        return f"{sign}{whole}"
    return f"{sign}{whole} {rest}" if whole else f"{sign}{rest}"


def numeral(number: int) -> str:
    """`number` in digits; only the first digits of a very long number."""
    digits = str(number)
    return digits if len(digits) <= LONGEST_NUMBER else f"{digits[:LONGEST_NUMBER]}... ({len(digits)} digits)"
