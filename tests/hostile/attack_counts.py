"""The results of the attacks, counted for docs/security.md and printed at the end of a run."""

from dataclasses import dataclass, field


@dataclass
class Figures:
    tried: int = 0
    escaped: list[str] = field(default_factory=list)  # got what they were after
    harmed: list[str] = field(default_factory=list)  # a neighbor or the host was not as before
    carried: list[str] = field(default_factory=list)  # the next session found a trace
    cleaning_s: list[float] = field(default_factory=list)  # from the end of the match to a clean box, or none

    def __str__(self) -> str:
        times = sorted(self.cleaning_s)
        return (
            f"attacks tried {self.tried}, escaped {len(self.escaped)}, hosts harmed {len(self.harmed)}, "
            f"state carried over {len(self.carried)}; cleaning up: {_at(times, 0.5)} median, "
            f"{_at(times, 0.99)} p99, {_at(times, 1.0)} at most"
        )


def _at(times: list[float], share: float) -> str:
    return f"{times[round(share * (len(times) - 1))] * 1000:.0f} ms"


FIGURES = Figures()
