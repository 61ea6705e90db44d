"""Opens the competition of a draft, with the final that its settings ask for.

The final is a tournament like any other: a draft that starts by itself with the bots of people that are
active then, which everyone sees with its time. Those who run the competition can change, start or cancel it.
"""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from agon.contest.formats import FORMATS
from agon.site.accounts.models import User
from agon.site.competitions import organizing
from agon.site.competitions.models import Competition, CompetitionDraft
from agon.site.competitions.settings import BadSettings, CompetitionSettings
from agon.site.tournaments import running, services
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.services import BadTournament, Start

FIELDS = {"rounds": "final_rounds", "starts_at": "final_starts"}  # of a tournament: by what they follow from


@transaction.atomic
def open_competition(draft: CompetitionDraft, by: User) -> Competition:
    """Open it. Raises BadSettings, also for a final that cannot be held, and NotPossible; then nothing is."""
    competition = organizing.open_draft(draft, by)
    settings = competition.settings
    if settings.final_format:
        _prepare_final(competition, settings, by)
    return competition


def _prepare_final(competition: Competition, settings: CompetitionSettings, by: User) -> None:
    if settings.final_starts is None or settings.final_starts <= timezone.now():
        raise BadSettings({"final_starts": _("The final starts in the past. Choose a later time.")})
    rounds = settings.final_rounds if FORMATS[settings.final_format].takes_rounds else 1
    starts = Start(settings.final_starts, Tournament.Field.PEOPLE, Tournament.Release.PUBLIC)
    try:
        final = services.create(
            by,
            competition,
            _("Final"),
            settings.final_format,
            rounds,
            services.draw_seed(),
            [],
            starts=starts,
        )
    except BadTournament as bad:
        raise BadSettings({FIELDS.get(bad.field, "final_format"): str(bad)}) from None
    if settings.prizes:
        running.set_awards(final, True, by)
