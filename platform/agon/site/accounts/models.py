"""Accounts."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from agon.site.core.db.name_keys import has_invisible, name_key, skeletons_of

CLOSED = "closed-"  # followed by a number: names of closed accounts, which are reserved
LONGEST_ABOUT = 600  # characters
LONGEST_NAME_KEY = 450  # characters; a name of 150 characters rarely has a longer key


RESERVED = timedelta(days=30)  # for which no one gets the name of a closed account


class RestingName(models.Model):
    """The name of an account that was closed, as a digest: the name itself is erased."""

    digest = models.CharField(max_length=64, unique=True)
    since = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.digest[:12]

    @classmethod
    def add(cls, name: str) -> None:
        """Let a name rest from now on; names that have rested are forgotten."""
        cls.objects.filter(since__lt=timezone.now() - RESERVED).delete()
        digest = _digest(name, settings.SECRET_KEY)
        cls.objects.update_or_create(digest=digest, defaults={"since": timezone.now()})

    @classmethod
    def has(cls, name: str) -> bool:
        keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
        digests = [_digest(name, key) for key in keys]
        return cls.objects.filter(digest__in=digests, since__gt=timezone.now() - RESERVED).exists()


def _digest(name: str, key: str) -> str:
    """Keyed, so that the name cannot be found by trying names without the site's key."""
    return salted_hmac("accounts.resting_names", name_key(name), key, algorithm="sha256").hexdigest()


class User(AbstractUser):
    """An account: a name and a password; the email address is optional.

    name_key, skeleton_folded, skeleton_written: see agon.site.core.db.name_keys. closed: when it was closed
    (agon.site.use_cases.closing_accounts). about: what its owner says on its page, as plain text.
    """

    name_key = models.CharField(max_length=LONGEST_NAME_KEY, editable=False)
    closed = models.DateTimeField(pgettext_lazy("account", "closed"), null=True, blank=True, editable=False)
    about = models.TextField(_("about"), max_length=LONGEST_ABOUT, blank=True, default="")
    skeleton_folded = models.CharField(
        max_length=64, default="", db_index=True, editable=False, db_column="look_folded"
    )
    skeleton_written = models.CharField(
        max_length=64, default="", db_index=True, editable=False, db_column="look_written"
    )

    class Meta:
        verbose_name = _("user")
        verbose_name_plural = _("users")
        constraints = [
            models.UniqueConstraint(
                fields=["name_key"],
                name="one_account_a_name",
                violation_error_message=_("A user with that username already exists."),
            ),
            models.CheckConstraint(
                condition=models.Q(closed=None) | models.Q(is_active=False),
                name="nobody_signs_in_to_a_closed_account",
            ),
        ]

    @property
    def shown_name(self) -> str:
        """The name to show for an author or organizer."""
        return self.username if self.closed is None else gettext("closed account")

    def get_absolute_url(self) -> str:
        return reverse("user", args=[self.username])

    def clean(self) -> None:
        """Raises ValidationError, also for a name that looks like another account's or is invisible."""
        super().clean()
        if self.closed is not None and self.is_active:
            raise ValidationError({"is_active": _("A closed account cannot be opened again.")})
        if not self.username:  # a form has already rejected it
            return
        same = name_key(self.username)
        if len(same) > LONGEST_NAME_KEY or not any(map(str.isalnum, same)):  # ".." cannot be part of a URL
            raise ValidationError({"username": self.username_validator.message})
        if same.startswith(CLOSED) and self.closed is None:
            raise ValidationError(
                {"username": _("Names that begin with closed- are reserved for closed accounts.")}
            )
        others = User.objects.exclude(pk=self.pk)
        if others.filter(name_key=same).exists():
            raise ValidationError({"username": _("A user with that username already exists.")})
        if self.pk is not None and same == self.name_key:  # unchanged
            return
        if self.closed is None and RestingName.has(self.username):
            why = _("This name belonged to an account that was closed less than %(days)d days ago.")
            raise ValidationError({"username": why % {"days": RESERVED.days}})
        if has_invisible(self.username):
            raise ValidationError({"username": _("A name cannot contain invisible characters.")})
        skeletons = skeletons_of(self.username)
        if others.filter(
            Q(skeleton_folded=skeletons.folded) | Q(skeleton_written=skeletons.written)
        ).exists():
            raise ValidationError(
                {"username": _("This name is too similar to one that is taken. Choose another.")}
            )

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Update the keys that are derived from the name."""
        self.name_key = name_key(self.username)
        self.skeleton_folded, self.skeleton_written = skeletons_of(self.username)
        super().save(*args, **kwargs)


class SentForm(models.Model):
    """A form that was sent, and what it was answered with; see agon.site.accounts.sent_forms."""

    key = models.CharField(max_length=64, unique=True)  # a digest of the form, its page and its browser
    sent = models.DateTimeField(default=timezone.now, db_index=True)
    answer = models.JSONField(null=True)

    def __str__(self) -> str:
        return self.key[:12]
