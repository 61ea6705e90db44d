"""Who takes part."""

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _


class User(AbstractUser):
    """An account: a name and a password; the e-mail address is optional."""

    class Meta:
        verbose_name = _("user")
        verbose_name_plural = _("users")
        constraints = [
            models.UniqueConstraint(
                Lower("username"),
                name="one_account_a_name",
                violation_error_message=_("A user with that username already exists."),
            )
        ]
