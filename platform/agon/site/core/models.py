"""Which versions of Agon have migrated this database."""

from django.db import models


class Release(models.Model):
    """A version of Agon that has migrated the database; the last row is that of its state."""

    version = models.CharField(max_length=40)
    since = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.version
