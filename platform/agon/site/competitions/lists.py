"""Which competitions a list shows."""

from django.db.models import QuerySet

from agon.site.competitions.models import Competition


def listed(archived: bool = False) -> QuerySet[Competition]:
    """The competitions of a list: those that are not archived or, in a list of its own, those that are."""
    return of_list(Competition.objects.all(), archived)


def of_list(competitions: QuerySet[Competition], archived: bool = False) -> QuerySet[Competition]:
    """Those of `competitions` that such a list shows."""
    if archived:
        return competitions.filter(state=Competition.State.ARCHIVED)
    return competitions.exclude(state=Competition.State.ARCHIVED)
