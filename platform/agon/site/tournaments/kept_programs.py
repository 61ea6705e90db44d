"""Whether the programs of a tournament that is over can play again, or in further rounds."""

from collections.abc import Collection

from django.utils.translation import gettext as _

from agon.site.bots.models import Submission
from agon.site.bots.states import BotState
from agon.site.tournaments import scheduling
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.services import BadTournament


def check_programs(submissions: Collection[Submission]) -> None:
    """Raise BadTournament, with the names of the bots, if programs of these versions are not kept anymore."""
    erased = {
        submission.bot.name
        for submission in submissions
        if submission.bot.state == BotState.DELETED and not submission.source
    }
    if erased:
        raise BadTournament(
            "",
            _("These bots were deleted, and their programs erased: %(bots)s.")
            % {"bots": ", ".join(sorted(erased))},
        )
    removed = {
        submission.bot.name
        for submission in submissions
        if submission.artifact_digest and not submission.artifact
    }
    if removed:
        raise BadTournament(
            "",
            _("Newer versions have replaced these bots, and the old ones are no longer kept: %(bots)s.")
            % {"bots": ", ".join(sorted(removed))},
        )


def check_next_round(tournament: Tournament) -> None:
    """Raise BadTournament likewise for the entrants that the next round of a reopened tournament seats."""
    matches = scheduling.next_round(tournament) or []
    seated = {entrant for scheduled in matches for entrant in scheduled.seats}
    entries = tournament.entrants.filter(number__in=seated)
    check_programs(list(Submission.objects.filter(entries__in=entries).select_related("bot")))
