"""Changes a draft, as long as it was not started.

Two people may have the same form open. So the form says which draft it showed, by a digest, and is refused if
another organizer has changed that meanwhile. Whether sources are opened stays as it is, since owners enter
knowing it; there the entrants stay, too.
"""

import hashlib

from django.db import transaction
from django.utils.translation import gettext as _

from agon.site.accounts.models import User
from agon.site.audit.verbs import Verb
from agon.site.competitions.models import Competition
from agon.site.tournaments import services
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.services import BadTournament, Draft
from agon.site.tournaments.states import State

FIELDS = [
    "name",
    "format",
    "rounds",
    "rounds_by_field",
    "format_settings",
    "seats",  # they follow from the game, which may be of another version by now
    "starts_at",
    "field",
    "release",
    "seed",
]


def digest(draft: Tournament) -> str:
    """Changes with every change that an organizer makes to the draft.

    Where owners enter their bots themselves, that changes nothing: they come and go.
    """
    values = [str(getattr(draft, field)) for field in FIELDS]
    bots = [] if draft.sources_open else list(draft.entrants.values_list("bot", flat=True))
    return hashlib.sha256(repr((values, bots)).encode()).hexdigest()


def check_seen(draft: Tournament, seen: str | None) -> None:
    """Raise BadTournament if a draft is another one by now than an organizer has seen.

    seen: its digest; None, of programs and older pages: whatever it is.
    """
    if seen is not None and draft.state == State.DRAFT and seen != digest(draft):
        raise BadTournament("", _("This draft was changed meanwhile. Check it, then start it."))


@transaction.atomic
def edit(tournament: Tournament, wanted: Draft, by: User, seen: str) -> None:
    """Change a draft. seen: the digest of the one that was shown. Raises BadTournament."""
    competition = Competition.objects.select_for_update(no_key=True).get(pk=tournament.competition_id)
    current = Tournament.objects.select_for_update(no_key=True).get(pk=tournament.pk)
    if current.state != State.DRAFT:
        state = current.get_state_display()
        raise BadTournament("", _("You cannot do this now: the tournament is %(state)s.") % {"state": state})
    if seen != digest(current):
        raise BadTournament("", _("This draft was changed meanwhile. Load the page again to see it."))
    bots = (
        [entrant.bot for entrant in current.entrants.select_related("bot")]
        if current.sources_open
        else wanted.bots
    )
    wanted = wanted._replace(sources_open=current.sources_open, bots=bots)
    fields = _validated(current, competition, wanted)
    changed = sorted(name for name in FIELDS if getattr(current, name) != fields[name])
    for name in FIELDS:
        setattr(current, name, fields[name])
    current.save(update_fields=FIELDS)
    before = list(current.entrants.values_list("bot", flat=True))
    if before != [bot.pk for bot in bots]:
        services.enter(current, bots)
        changed.append("bots")
    if changed:
        services.record(Verb.EDIT, current, by, details={"changed": changed})


def _validated(current: Tournament, competition: Competition, wanted: Draft) -> dict[str, object]:
    """Raises BadTournament. Owners who entered where sources are opened have agreed to that."""
    agreed = wanted._replace(bots=[]) if current.sources_open else wanted
    return services.validated(agreed, current.organizer, competition)
