"""Records in a competition's public changes that its game has another version.

Its ladder goes on, so what entrants are rated by changes then. Tournaments wait for their own version instead
(agon.site.matches.shares).
"""

from django.db import transaction

from agon.site.audit import acts
from agon.site.audit.verbs import Verb
from agon.site.competitions.models import Competition
from games.core.broken import why_broken


def note_changes() -> None:
    """Record which competitions that are not archived have a game of another version than the last time.

    To be called when the site starts, which is when games are read.
    """
    for pk in Competition.objects.exclude(state=Competition.State.ARCHIVED).values_list("pk", flat=True):
        _note(pk)


@transaction.atomic
def _note(pk: int) -> None:
    competition = Competition.objects.select_for_update(no_key=True).get(pk=pk)
    if why_broken(competition.game):
        return
    old, new = competition.game_version, competition.info.version
    if old == new:
        return
    Competition.objects.filter(pk=pk).update(game_version=new)
    if old:
        details = {"game_version": {"old": old, "new": new}}
        acts.record(Verb.GAME_VERSION, None, competition, subject=competition.title, details=details)
