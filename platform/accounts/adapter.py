"""What signing up asks of a name beyond what allauth does."""

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.core.exceptions import ValidationError

from accounts.models import User
from agon.names import folded


class Adapter(DefaultAccountAdapter):
    def clean_username(self, username: str, shallow: bool = False) -> str:
        """Raises ValidationError. shallow: the name is only looked up, not taken."""
        username = super().clean_username(username, shallow)
        if not shallow:
            if folded(username) in settings.ACCOUNT_USERNAME_BLACKLIST:
                raise self.validation_error("username_blacklisted")
            try:
                User(username=username).clean()
            except ValidationError as error:
                raise ValidationError(error.messages) from None
        return username
