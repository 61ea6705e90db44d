"""Whatever students and teachers do, in any order, each student gets the points that the uploads deserve.

The points that are expected follow from a list of uploads that the test keeps, and from the milestone as it
is at the end, by the rules of docs/guides/organize.md: not from what the site stored.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal

import pytest
from django.db.models import F
from django.utils import timezone

from agon.site.bots import reasons
from agon.site.bots.models import Bot, Submission
from agon.site.bots.states import PENDING, BotState
from agon.site.courses import assessing, extending, judging, milestones, progress
from agon.site.courses.changing import Refused
from agon.site.courses.models import Assessment, Milestone, Student
from agon.site.matches import leases
from agon.site.use_cases import leaving_play, qualification
from agon.site.workers import artifact_removal
from agon.teaching.lateness import Grace, LastAccepted, LastUpload, PercentADay, Policy
from tests.agon.site.courses.conftest import joined
from tests.support.at_random import AtRandom
from tests.support.factories import duel, submit
from tests.support.reasons import said

from .judged import ALICE, BORIS, add, course, dice, keep_programs, on_commit

__all__ = ["course", "dice", "on_commit"]

pytestmark = pytest.mark.django_db

POINTS = Decimal(10)
POLICIES: tuple[Policy, ...] = (LastUpload(), LastAccepted(), Grace(60), PercentADay(30), PercentADay(50))


@dataclass
class Sent:
    """An upload as the test knows it. at: minutes since the beginning. beats: whether it wins all matches."""

    at: float
    beats: bool
    accepted: bool | None = None


class Class(AtRandom):
    """Two students and their teacher; what they do follows from `seed`."""

    refusals = (Refused,)

    def __init__(self, seed: int, milestone: Milestone, teacher, on_commit) -> None:
        super().__init__(seed)
        self.teacher, self.on_commit, self._pk = teacher, on_commit, milestone.pk
        self.minutes = 0.0  # since the beginning
        self.deadline, self.policy = 600.0, self.draw.choice(POLICIES)
        self.extensions = {"1": 0, "2": 0}
        self.sent: dict[str, dict[int, Sent]] = {"1": {}, "2": {}}
        self._change()

    @property
    def milestone(self) -> Milestone:
        return Milestone.objects.get(pk=self._pk)

    def moment(self, minutes: float) -> datetime:
        return timezone.now() + timedelta(minutes=minutes - self.minutes)

    def describe(self, act: str) -> str:
        return f"{self.minutes}: {act}"

    def perform(self, act: Callable[[], object]) -> None:
        self.on_commit(act)

    def pass_time(self, minutes: float) -> None:
        """As if all that is known had happened earlier."""
        self.minutes += minutes
        earlier = timedelta(minutes=minutes)
        Milestone.objects.update(deadline=F("deadline") - earlier)
        Milestone.objects.exclude(judge_at=None).update(judge_at=F("judge_at") - earlier)
        Submission.objects.update(created=F("created") - earlier)
        Submission.objects.exclude(activated=None).update(activated=F("activated") - earlier)
        Bot.objects.exclude(changed=None).update(changed=F("changed") - earlier)

    def wait(self) -> None:
        self.pass_time(self.draw.choice([7.0, 31.0, 31.0, 118.0, 118.0, 503.0, 1471.0]))

    # What students do, and what becomes of their uploads.

    def student(self) -> Student:
        return Student.objects.get(number=self.draw.choice(["1", "2"]))

    def bot(self) -> Bot | None:
        return Bot.objects.filter(owner=self.student().user).exclude(state=BotState.DELETED).last()

    def upload(self) -> None:
        student = self.student()
        bot = Bot.objects.filter(owner=student.user).exclude(state=BotState.DELETED).last()
        if bot is not None and bot.state != BotState.ENTERED:
            return
        name = f"{student.number} {len(self.sent[student.number])}" if bot is None else bot.name
        version = submit(student.user, self.milestone.competition, name)
        Submission.objects.filter(pk=version.pk).update(artifact="artifacts/one.tar")
        self.sent[student.number][version.pk] = Sent(self.minutes, self.draw.random() < 0.5)

    def upload_which_is_accepted(self) -> None:
        self.upload()
        self.check(accepted=True)

    def check(self, accepted: bool | None = None) -> None:
        """Of some upload the check ends."""
        pending = list(Submission.objects.filter(state__in=PENDING))
        if not pending:
            return
        version = self.draw.choice(pending)
        if self.draw.random() < 0.6 if accepted is None else accepted:
            qualification.activate(version)
        else:
            version.move(qualification.states.REJECT, reason=reasons.bot_left(), lease_until=None)
        for sent in self.sent.values():
            if version.pk in sent:
                sent[version.pk].accepted = Submission.objects.get(pk=version.pk).state != "rejected"

    def withdraw(self) -> None:
        self._leave(leaving_play.Act.WITHDRAW)

    def delete(self) -> None:
        self._leave(leaving_play.Act.DELETE)

    def _leave(self, act: leaving_play.Act) -> None:
        if (bot := self.bot()) is None:
            return
        pending = list(bot.submissions.filter(state__in=PENDING).values_list("pk", flat=True))
        leaving_play.perform(act, bot, bot.owner)
        for sent in self.sent.values():
            for version in sent.keys() & set(pending):
                sent[version].accepted = False

    def reenter(self) -> None:
        if (bot := self.bot()) is not None:
            leaving_play.perform(leaving_play.Act.REENTER, bot, bot.owner)

    # What teachers do.

    def extend(self) -> None:
        number, minutes = self.draw.choice(["1", "2"]), self.draw.choice([0, 30, 240, 2000])
        extending.extend(self.milestone, number, minutes, self.teacher)
        self.extensions[number] = minutes

    def move_deadline(self) -> None:
        self.deadline = self.minutes + self.draw.choice([-300.0, 20.0, 450.0])
        self._change()

    def change_policy(self) -> None:
        self.policy = self.draw.choice(POLICIES)
        self._change()

    def _change(self) -> None:
        wanted = milestones.wanted_of(self.milestone)
        wanted = wanted._replace(deadline=self.moment(self.deadline), policy=self.policy)
        milestones.change(self.milestone, wanted, self.milestone.revision, self.teacher)

    def judge_again(self) -> None:
        judging.again(self.milestone, "because", self.teacher)

    # What the site does.

    def sweep(self) -> None:
        judging.tick()
        assessing.tick()

    def clean_up(self) -> None:
        artifact_removal.remove_unneeded()

    def play(self) -> None:
        for _match in range(self.draw.randint(1, 12)):
            if (match := leases.claim("worker", ("bulk",))) is None:
                return
            if self.draw.random() < 0.05:
                leases.fail(match, said("the platform failed"))
                continue
            seats = {seat.submission_id: seat.submission.bot.name for seat in match.seats.all()}
            beats = any(sent[pk].beats for sent in self.sent.values() for pk in seats if pk in sent)
            own = [name for name in seats.values() if name != "Dice"]
            leases.finish(match, duel(match, [*own, "Dice"] if beats else ["Dice", *own]))

    def go_on_to_the_end(self) -> None:
        while Submission.objects.filter(state__in=PENDING).exists():
            self.on_commit(self.check)
        for _sweep in range(200):
            self.pass_time(300)
            self.on_commit(self.sweep)
            self.on_commit(self.play)
            waiting = Assessment.objects.filter(state__in=["waiting", "running"]).exists()
            if not waiting and self.milestone.judge_at is None:
                return
        pytest.fail("it does not end")

    # What each student deserves.

    def expected(self, number: str) -> Decimal:
        deadline = self.deadline + self.extensions[number]
        best: tuple[Decimal, float, int, Sent] | None = None
        for pk, sent in self.sent[number].items():
            late = sent.at - deadline
            match self.policy:
                case PercentADay(percent):
                    days = max(-(-late // (24 * 60)), 0)
                    share = 1 - Decimal(percent * int(days)) / 100
                case Grace(minutes):
                    share = Decimal(late <= minutes)
                case _:
                    share = Decimal(late <= 0)
            counts = sent.accepted or isinstance(self.policy, LastUpload)
            if share > 0 and counts and (best is None or (share, sent.at, pk) > best[:3]):
                best = share, sent.at, pk, sent
        if best is None or not best[3].accepted or not best[3].beats:
            return Decimal(0)
        return (POINTS * best[0]).quantize(Decimal("0.01"), ROUND_HALF_UP)

    def standing(self, number: str) -> progress.Progress:
        student = Student.objects.get(number=number)
        course = student.course
        [row] = progress.progress_of(course, [student], [self.milestone])
        return row


@pytest.mark.production
@pytest.mark.first(4)
@pytest.mark.parametrize("seed", range(60))
def test_each_student_gets_what_the_uploads_deserve(teacher, course, dice, on_commit, tina, seed):
    milestone = add(teacher, dice, most_matches="10", share="50")
    joined(teacher, course, ALICE), joined(teacher, course, BORIS)
    keep_programs()
    class_ = Class(seed, milestone, tina, on_commit)
    of_students = [class_.upload, class_.upload, class_.upload_which_is_accepted, class_.check, class_.check]
    of_students += [class_.withdraw, class_.reenter, class_.delete]
    of_teachers = [class_.extend, class_.move_deadline, class_.change_policy, class_.judge_again]
    of_site = [
        class_.sweep,
        class_.play,
        class_.clean_up,
        class_.wait,
        class_.wait,
        class_.sweep,
        class_.play,
    ]
    try:
        for _ in range(class_.draw.randint(20, 60)):
            class_.act(*of_students, *of_teachers, *of_site)
        class_.go_on_to_the_end()
        for number in ("1", "2"):
            [standing] = class_.standing(number).standings
            assert (number, standing.verdict.value, standing.points) == (
                number,
                "passed" if class_.expected(number) else "missed",
                class_.expected(number),
            )
    finally:
        print("\n".join(class_.done))
        print(class_.sent, class_.deadline, class_.policy, class_.extensions)
