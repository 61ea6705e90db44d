"""What services refuse, as problems with the same sentence. An operation may catch one and say more."""

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.translation import gettext as _

from agon.site.accounts.profiles import BadProfile
from agon.site.api.problems import FieldError, Problem
from agon.site.bots.at_home import TakenOver
from agon.site.comparisons.services import NotComparable
from agon.site.competitions import organizing
from agon.site.competitions.announcing import BadAnnouncement
from agon.site.competitions.settings import BadSettings
from agon.site.courses.changing import Refused
from agon.site.events.following import CannotFollow
from agon.site.matches.home_asks import BegunAgain, NotTaken
from agon.site.seasons import services as seasons
from agon.site.tournaments.services import BadTournament
from agon.site.use_cases.leaving_play import ActionNotAllowed


def in_fields(problems: Mapping[str, str], pointer: str = "") -> Problem:
    """problems: what is wrong with each field. pointer: where in the body these fields are."""
    return Problem("invalid", errors=[FieldError(f"{pointer}/{name}", why) for name, why in problems.items()])


def _changed_meanwhile(error: Exception) -> Problem:
    return Problem("conflict", str(error), _("Read it again, and send your change anew."))


def _bad_tournament(bad: BadTournament) -> Problem:
    errors = [FieldError(f"/{bad.field}", str(bad))] if bad.field else []
    return Problem("refused", str(bad), errors=errors)


def _with_code(code: str) -> Callable[[Exception], Problem]:
    return lambda error: Problem(code, str(error))


PROBLEMS: dict[type[Exception], Callable[[Any], Problem]] = {
    ActionNotAllowed: _with_code("conflict"),
    BegunAgain: _with_code("begun_again"),
    BadAnnouncement: lambda bad: in_fields(bad.problems),
    BadProfile: lambda bad: in_fields({"about": str(bad)}),
    BadSettings: lambda bad: in_fields(bad.problems),
    BadTournament: _bad_tournament,
    CannotFollow: _with_code("conflict"),
    NotComparable: _with_code("conflict"),
    NotTaken: _with_code("conflict"),
    Refused: _with_code("refused"),
    TakenOver: _with_code("taken_over"),
    organizing.ChangedMeanwhile: _changed_meanwhile,
    organizing.NotPossible: _with_code("refused"),
    seasons.BadSeason: lambda bad: in_fields({bad.field: str(bad)}),
    seasons.ChangedMeanwhile: _changed_meanwhile,
}
