"""Accounts."""

from typing import Any

from django.contrib.auth.models import AbstractUser
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from agon.db.name_keys import has_invisible, looks, updated_name_key

CLOSED = "closed-"  # followed by a number: names of closed accounts, which are reserved
LONGEST_NAME_KEY = 450  # characters; a name of 150 characters rarely has a longer key


class User(AbstractUser):
    """An account: a name and a password; the email address is optional.

    name_key, look_folded, look_written: see agon.db.name_keys. closed: when it was closed
    (pipeline.closing_accounts).
    """

    name_key = models.CharField(max_length=LONGEST_NAME_KEY, editable=False)
    closed = models.DateTimeField(pgettext_lazy("account", "closed"), null=True, blank=True, editable=False)
    look_folded = models.CharField(max_length=64, default="", db_index=True, editable=False)
    look_written = models.CharField(max_length=64, default="", db_index=True, editable=False)

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
        same = updated_name_key(self.name_key, self.username)
        if len(same) > LONGEST_NAME_KEY or not any(map(str.isalnum, same)):  # ".." cannot be part of a URL
            raise ValidationError({"username": self.username_validator.message})
        if same.startswith(CLOSED) and self.closed is None:
            raise ValidationError(
                {"username": _("Names that begin with closed- are reserved for closed accounts.")}
            )
        others = User.objects.exclude(pk=self.pk)
        if others.filter(name_key=same).exists():
            raise ValidationError({"username": _("A user with that username already exists.")})
        if self.pk is not None and same == self.name_key:  # unchanged, possibly older than these rules
            return
        if has_invisible(self.username):
            raise ValidationError({"username": _("A name cannot contain invisible characters.")})
        look = looks(self.username)
        if others.filter(Q(look_folded=look.folded) | Q(look_written=look.written)).exists():
            raise ValidationError(
                {"username": _("This name is too similar to one that is taken. Choose another.")}
            )

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Update the keys that are derived from the name."""
        self.name_key = updated_name_key(self.name_key, self.username)
        self.look_folded, self.look_written = looks(self.username)
        super().save(*args, **kwargs)
