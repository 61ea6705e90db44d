"""How many matches a worker claims together, by how long matches took on it."""

SPAN = 0.5  # seconds of work that are claimed together
LARGEST = 64  # matches
SMOOTHING = 0.9  # the weight of the old estimate when a match was shorter


class Pace:
    """An estimate of how long a match takes on this worker.

    A long match raises it at once, short ones lower it slowly: this errs toward small batches.
    """

    def __init__(self) -> None:
        self._seconds = SPAN

    def note(self, seconds: float) -> None:
        """Update the estimate with a match that took so many seconds."""
        self._seconds = max(seconds, SMOOTHING * self._seconds + (1 - SMOOTHING) * seconds)

    @property
    def matches(self) -> int:
        """The number of matches to claim."""
        return max(1, min(LARGEST, int(SPAN / self._seconds)))
