"""What lists of matches show of the submissions in the seats; build logs are long."""

from django.db.models import Prefetch

from agon.site.bots.models import Bot, Submission

# Queries apart from the seats': a list has many seats of the same few submissions.
SUBMISSION = Prefetch(
    "submission",
    Submission.objects.only("bot", "number", "state").prefetch_related(
        Prefetch("bot", Bot.objects.only("owner"))
    ),
)
