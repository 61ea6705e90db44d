"""Plays trials: one worker builds the program and plays its match in one task, so that it waits only once.

- Processes: as with matches (agon.site.matches.leases), a worker claims the oldest waiting trial with a lease
  and an attempt number, and only the current holder may end it. The program is built and played like a
  submission (sandbox.building, agon.contest.arena). Its artifact is not stored: it stays in this machine's
  cache until the cache needs the room. The program is on trial: it is not asked again after its first fault.
- Fairness: trials come before bulk work, since their authors are waiting. While matches are waiting, a worker
  that has played a trial does not claim another for as long as that one took, so that trials get at most half
  of its time. No match of a trial takes longer than LONGEST.
- Failure: if the platform fails, the trial is played again, up to ATTEMPTS times; then it has failed, and
  its page says why. A trial whose opponent's program is gone has failed at once. One whose opponent is in a
  language that this machine lacks is left to other workers, and no attempt of it counts.
"""

import logging
import time
from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet, Sum

from agon.contest import arena, secret_seeds
from agon.contest.adapters import adapter_of
from agon.contest.arena import Played
from agon.contest.attempts import FailureKind
from agon.contest.match_clock import OutOfTime
from agon.contest.platform_failure import PlatformFailure
from agon.contest.reasons import from_sandbox
from agon.contest.text import escape_controls
from agon.site.bots import artifacts, languages
from agon.site.bots.artifacts import ArtifactLost, CannotFetch
from agon.site.bots.sources import read
from agon.site.core.counting import count_on_commit
from agon.site.core.db.leases import ATTEMPTS, LEASE, internal_error, now, renewing
from agon.site.core.db.transitions import Transition
from agon.site.core.isolation import for_each_isolated
from agon.site.core.texts.reasons import describe
from agon.site.fleet import pausing
from agon.site.matches import results, transcript
from agon.site.matches.models import Match
from agon.site.trials import services, states
from agon.site.trials.models import Outcome, Trial
from agon.site.trials.states import GOING_ON, State
from agon.site.trials.tables import seated
from agon.site.workers.worker import worker
from games.core.broken import working_games
from games.core.reason import NO_REASON, Reason
from sandbox.api import LanguageMissing, SandboxError
from sandbox.building import build as sandbox_build
from sandbox.building.build import Built
from sandbox.source import Source
from sandbox.uploads.accept import BadUpload

LONGEST = 60  # seconds of a match
STORED = ("build_log", "record", "times", "stderr", "stderr_asks")  # what takes room
KEPT_FOR = timedelta(days=1)  # after which a trial is deleted

log = logging.getLogger(__name__)
_yields_until = 0.0


def play_next() -> bool:
    """Play the trial that has waited longest; False if none waits. Raises SandboxError without a sandbox."""
    global _yields_until
    trial = claim(worker.name, worker.lacking())
    if trial is None:
        return False
    began = time.monotonic()
    if trial.number and services.is_out_of_time(trial):
        _end(trial, states.GIVE_UP, Reason("trial_out_of_time"), began)
        return True
    _play(trial, began)
    _yields_until = time.monotonic() + (time.monotonic() - began)
    return True


def is_yielding() -> bool:
    """Whether this worker leaves trials to others, because matches are waiting and it just played one."""
    return time.monotonic() < _yields_until and _matches_wait()


def _matches_wait() -> bool:
    """Those with a bot at home wait for nothing that trials need."""
    return Match.objects.filter(state=Match.State.QUEUED).exclude(queue=Match.Queue.HOME).exists()


def claim(name: str, lacking: Collection[str] = ()) -> Trial | None:
    """Claim the oldest waiting trial for the worker `name`, with a lease; None if none waits.

    lacking: languages that do not work here; trials of programs or opponents in them are left to others. Of
    those that were asked for together, the further ones come after everybody's first.
    """
    working = [info.slug for info in working_games()]
    waiting = Trial.objects.filter(state=State.QUEUED, competition__game__in=working)
    in_lacking = Q(language__in=lacking) | Q(opponent__language__in=lacking)
    waiting = waiting.exclude(in_lacking).order_by("number", "id")
    while waiting.exists():
        with transaction.atomic():
            trial = waiting.select_for_update(skip_locked=True, of=("self",), no_key=True).first()
            if trial is None:  # other workers hold all that wait
                break
            trial.move_locked(states.CLAIM, attempt=trial.attempt + 1, worker=name, lease_until=now() + LEASE)
            return trial
    return None


def _play(trial: Trial, began: float) -> None:
    try:
        with renewing(lambda: _renew(trial)):
            source = read("", trial.text.encode(), trial.language)
            built = _build(trial, source)
            if built.reason.code == "language_not_offered" and languages.has_machine(built.language):
                worker.lack(built.language, describe(from_sandbox(built.reason)))  # it works elsewhere
                _hand_back(trial, began)
            elif built.artifact is None:
                _end(trial, states.REJECT, from_sandbox(built.reason), began, build_log=built.log)
            else:
                played = _play_match(trial, source, built)
                _end(
                    trial,
                    states.FINISH,
                    NO_REASON,
                    began,
                    build_log=built.log,
                    **_stored_fields(trial, played),
                )
    except BadUpload as error:  # accepted under older rules for uploads
        _end(trial, states.REJECT, from_sandbox(error.reason), began)
    except CannotFetch as error:
        pausing.pause(worker.name, str(error))
        _hand_back(trial, began)
    except ArtifactLost:  # most likely its bot was deleted since the trial was asked for
        _end(trial, states.GIVE_UP, Reason("trial_opponent_gone"), began)
    except (PlatformFailure, SandboxError, OSError) as error:
        if _is_opponents_language_missing(trial, error):  # no bot has begun
            _hand_back(trial, began)
        elif isinstance(error.__cause__, OutOfTime):
            _end(trial, states.GIVE_UP, Reason("trial_too_long", seconds=LONGEST), began)
        else:
            worker.mark_suspect()
            _fail(trial, Reason("text", text=str(error)), began, getattr(error, "kind", FailureKind.SANDBOX))
    except Exception as error:
        log.exception("%s could not be played", trial)
        _fail(trial, internal_error(error), began, FailureKind.PLATFORM)


def _is_opponents_language_missing(trial: Trial, error: Exception) -> bool:
    """Whether this worker lacks the opponent's language, and so claims no such trial for a while."""
    missing = error.__cause__
    if not isinstance(missing, LanguageMissing) or missing.language != trial.opponent.language:
        return False
    worker.lack(missing.language, str(error))
    return True


def _build(trial: Trial, source: Source) -> Built:
    artifacts.make_room(sandbox_build.ARTIFACT_BYTES)
    adapter = adapter_of(trial.competition.info)
    return sandbox_build.build(source, worker.sandbox(), settings.AGON_ARTIFACTS, adapter)


def _play_match(trial: Trial, source: Source, built: Built) -> Played:
    assert built.artifact is not None
    info = trial.competition.info
    pool = worker.pool()
    try:
        artifacts.hold(built.artifact)
        players = [
            arena.Player(submission.bot.name, artifacts.fetch(submission), submission.digest)
            for submission in seated(trial.opponent, trial.others, trial.competition)
        ]
        players.insert(trial.seat, arena.Player(trial.name, built.artifact, source.digest))
        seed = secret_seeds.draw() if trial.seed is None else trial.seed
        return arena.play(info, players, seed, pool, frozenset({trial.seat}), longest_s=LONGEST)
    finally:
        artifacts.release(spare=pool.digests)


def _stored_fields(trial: Trial, played: Played) -> dict[str, Any]:
    packed, log, seat = results.pack(played), played.log, trial.seat
    opponent = 0 if seat else 1  # the first of the other seats
    fault = next(
        (str(recorded_fault.kind) for recorded_fault in log.faults if recorded_fault.seat == seat), ""
    )
    return {
        "record": packed.record,
        "times": packed.times,
        "stderr": packed.stderr.get(seat, b""),
        "stderr_asks": packed.stderr_at.get(seat, b""),
        "won": log.ranks[seat] < log.ranks[opponent],
        "outcome": _outcome(log.ranks, seat),
        "fault": fault,
        "doubts": len(transcript.doubts(log, seat)),
    }


def _outcome(ranks: Sequence[int], seat: int) -> Outcome:
    if ranks[seat] > 1:
        return Outcome.LOST
    return Outcome.WON if ranks.count(1) == 1 else Outcome.DRAWN


def _end(trial: Trial, transition: Transition, why: Reason, began: float, **facts: Any) -> None:
    """Write how the trial ended, unless another worker has its lease by now."""
    if "build_log" in facts:
        facts["build_log"] = escape_controls(facts["build_log"])
    with transaction.atomic():
        current = _held(trial).select_for_update(no_key=True).first()
        if current is not None:
            used = current.used + time.monotonic() - began
            stored = [fact for name, fact in facts.items() if name in STORED]
            size = len(current.text) + sum(map(len, stored))
            _make_room(size)
            count_on_commit("trials", result=str(transition.target))
            if facts.get("doubts"):
                count_on_commit("doubts", facts["doubts"], game=current.competition.game)
            if (
                transition is states.REJECT and current.batch
            ):  # no other match of this program would be played
                Trial.objects.filter(batch=current.batch, state=State.QUEUED).delete()
            current.move_locked(
                transition,
                reason=why,
                used=used,
                lease_until=None,
                finished_at=now(),
                stored_bytes=size,
                **facts,
            )


def _make_room(size: int) -> None:
    """Delete the oldest trials that are over, until `size` bytes fit into what all trials may take."""
    over = Trial.objects.exclude(state__in=GOING_ON)
    excess = (
        (over.aggregate(bytes=Sum("stored_bytes"))["bytes"] or 0) + size - (settings.AGON_TRIALS_MIB << 20)
    )
    oldest = []
    for pk, stored in over.order_by("id").values_list("pk", "stored_bytes").iterator():
        if excess <= 0:
            break
        oldest.append(pk)
        excess -= stored
    Trial.objects.filter(pk__in=oldest).delete()


def _fail(trial: Trial, why: Reason, began: float, kind: FailureKind) -> None:
    with transaction.atomic():
        current = _held(trial).select_for_update(no_key=True).first()
        if current is not None:
            _give_back(current, why, time.monotonic() - began, kind)


def _hand_back(trial: Trial, began: float) -> None:
    """Requeue a trial that was not begun: the attempt does not count."""
    with transaction.atomic():
        current = _held(trial).select_for_update(no_key=True).first()
        if current is not None:
            used = current.used + time.monotonic() - began
            current.move_locked(states.REQUEUE, attempt=current.attempt - 1, used=used, lease_until=None)


def _give_back(trial: Trial, why: Reason, seconds: float, kind: FailureKind) -> None:
    """why: for the log; the author gets the words for the kind of failure."""
    log.warning("%s, attempt %s: %s", trial, trial.attempt, describe(why))
    used = trial.used + seconds
    if trial.attempt < ATTEMPTS:
        trial.move_locked(states.REQUEUE, used=used, lease_until=None)
    else:
        count_on_commit("trials", result=str(states.GIVE_UP.target))
        failed = Reason("trial_not_played", why=Reason(f"failure_{kind}"))
        trial.move_locked(states.GIVE_UP, used=used, lease_until=None, reason=failed, finished_at=now())


def _renew(trial: Trial) -> bool:
    return bool(_held(trial).update(lease_until=now() + LEASE))


def _held(trial: Trial) -> QuerySet[Trial]:
    return Trial.objects.filter(pk=trial.pk, attempt=trial.attempt, state=State.RUNNING)


def clean_up() -> int:
    """Give back trials of lost workers, delete old ones, and notify workers of those that wait.

    Returns how many were given back.
    """
    old = Trial.objects.filter(created__lt=now() - KEPT_FOR).exclude(state=State.RUNNING)
    if old.exists():  # a read does not block SQLite's one writer
        old.delete()
    expired = Trial.objects.filter(state=State.RUNNING, lease_until__lt=now())

    @transaction.atomic
    def give_back(pk: int) -> bool:
        trial = expired.select_for_update(skip_locked=True, no_key=True).filter(pk=pk).first()
        if trial is not None:
            count_on_commit("leases_lost", of="trial")
            why = Reason("this_worker_lost", worker=trial.worker)
            _give_back(trial, why, LEASE.total_seconds(), FailureKind.WORKER)
        return trial is not None

    given_back = for_each_isolated(list(expired.values_list("pk", flat=True)), give_back)
    if Trial.objects.filter(state=State.QUEUED).exists():
        services.notify()
    return given_back
