"""What the API remembers of requests."""

from django.conf import settings
from django.db import models


class Answer(models.Model):
    """The answer to a request that had an idempotency key, which is sent again if the request is.

    digest: of the request. status, body, content_type: empty while the request is being handled, which no
    other transaction sees.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_answers")
    key = models.CharField(max_length=255)
    digest = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(default=0)
    body = models.BinaryField(default=b"")
    content_type = models.CharField(max_length=100, default="")
    location = models.CharField(max_length=200, default="")
    created = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["owner", "key"], name="one_answer_a_key")]

    def __str__(self) -> str:
        return f"{self.status} to {self.key}"
