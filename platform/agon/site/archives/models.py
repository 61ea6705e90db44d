"""Downloads of tournaments, the matches of competitions as data, the keys that have signed them, and the days
of the chain of results.
"""

from django.db import models, transaction
from django.utils.translation import gettext_lazy as _

from agon.site.competitions.models import Competition
from agon.site.tournaments.models import Tournament


def download_path(download: "Download", filename: str) -> str:
    """The path of a download in the storage.

    The digest in its name keeps a new one from replacing an old one.
    """
    return f"archives/{download.tournament_id}/{download.sha256[:16]}-{filename}"


class Download(models.Model):
    """A file made once of a tournament that is over, and served again and again.

    last_act: the last entry of the audit log that it takes into account. Whatever changes a tournament that
    is over leaves an entry, so that a download without it is made again.
    """

    class Kind(models.TextChoices):
        ARCHIVE = "archive", _("Archive")
        CSV = "csv", _("Results as CSV")
        JSONL = "jsonl", _("Results as JSON lines")
        PARQUET = "parquet", _("Results as Parquet")
        SOURCES = "sources", _("Sources")

    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="downloads")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    file = models.FileField(upload_to=download_path, max_length=200)
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()
    last_act = models.BigIntegerField(default=0)
    made = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["kind"]
        constraints = [models.UniqueConstraint(fields=["tournament", "kind"], name="one_download_of_a_kind")]

    def __str__(self) -> str:
        return f"{self.kind} of {self.tournament_id}"


class Export(models.Model):
    """The matches of a competition as data; its files are ExportFile (agon.site.archives.exporting).

    day: in whose night it was made; null if it has to be made again. tournaments: whose matches are in it.
    """

    competition = models.OneToOneField(Competition, models.CASCADE, related_name="export")
    day = models.DateField(null=True)
    tournaments = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"{self.competition_id} of {self.day}"


def export_path(file: "ExportFile", filename: str) -> str:
    """The path of a file of an export in the storage."""
    return f"exports/{file.competition_id}/{file.sha256[:16]}-{filename}"


class ExportFile(models.Model):
    """A file of an export. basis: of what it was made; with the same one it is not made again.

    staged: it waits for the others of its night; readers get the former one.
    """

    competition = models.ForeignKey(Competition, models.CASCADE, related_name="export_files")
    name = models.CharField(max_length=40)
    basis = models.CharField(max_length=200)
    staged = models.BooleanField(default=True)
    file = models.FileField(upload_to=export_path, max_length=200)
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()
    rows = models.PositiveBigIntegerField()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["competition", "name", "staged"], name="one_file_of_an_export")
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.competition_id}"


@transaction.atomic
def delete_with_file(row: Download | ExportFile) -> None:
    """Delete its file once no row names it. Downloads in progress can still read it to the end."""
    storage, name = row.file.storage, row.file.name or ""
    row.delete()
    transaction.on_commit(lambda: storage.delete(name))


class Signer(models.Model):
    """A key that has signed archives of this site. revoked: it is no longer to be trusted."""

    public_key = models.CharField(max_length=100, unique=True)  # as in a .pub file
    since = models.DateTimeField(auto_now_add=True)
    revoked = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.public_key


class Day(models.Model):
    """A closed day of the chain: what happened, and the digest that the next day begins with."""

    date = models.DateField(unique=True)
    lines = models.FileField(upload_to="chain", max_length=100)
    digest = models.CharField(max_length=64)
    matches = models.PositiveIntegerField()
    acts = models.PositiveIntegerField()

    class Meta:
        ordering = ["date"]

    def __str__(self) -> str:
        return f"{self.date}: {self.digest}"
