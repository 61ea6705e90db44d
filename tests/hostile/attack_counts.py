"""The results of the attacks, counted for docs/explanations/security.md and printed at the end of a run."""

import statistics
from dataclasses import dataclass, field

_ENOUGH = 5  # fsyncs, for a median that one write of another program does not decide


@dataclass
class Figures:
    tried: int = 0
    escaped: list[str] = field(default_factory=list)  # got what they were after
    harmed: list[str] = field(default_factory=list)  # a neighbor or the host was not as before
    carried: list[str] = field(default_factory=list)  # the next session found a trace
    cleaning_s: list[float] = field(default_factory=list)  # from the end of the match to a clean box, or none
    fsync_s: dict[str, float] = field(default_factory=dict)  # of the host, the median beside an attack

    def add_flushes(self, name: str, times: list[float]) -> float:
        """Count the host's fsyncs beside an attack; their median in seconds, 0 if they are too few."""
        if len(times) < _ENOUGH:
            return 0.0
        self.fsync_s[name] = max(statistics.median(times), self.fsync_s.get(name, 0.0))
        return statistics.median(times)

    def __str__(self) -> str:
        times = sorted(self.cleaning_s)
        flushes = sorted(self.fsync_s.values())
        return (
            f"attacks tried {self.tried}, escaped {len(self.escaped)}, hosts harmed {len(self.harmed)}, "
            f"state carried over {len(self.carried)}; cleaning up: {_at(times, 0.5)} median, "
            f"{_at(times, 0.99)} p99, {_at(times, 1.0)} at most; fsync of the host beside them: "
            f"{_at(flushes, 0.5)} median, {_at(flushes, 0.99)} p99, {_at(flushes, 1.0)} at most"
            f"{f' ({max(self.fsync_s, key=self.fsync_s.__getitem__)})' if flushes else ''}"
        )


def _at(times: list[float], share: float) -> str:
    return f"{times[round(share * (len(times) - 1))] * 1000:.1f} ms" if times else "-"


FIGURES = Figures()
