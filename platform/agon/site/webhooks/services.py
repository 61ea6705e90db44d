"""Makes webhooks, switches them on, deletes them, and has events sent again."""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from agon.site.accounts.models import User
from agon.site.competitions.models import Competition
from agon.site.events import feed
from agon.site.tournaments.rights import may_organize
from agon.site.webhooks import signing, targets
from agon.site.webhooks.models import Delivery, Hook
from agon.site.webhooks.targets import BadTarget

MOST_HOOKS = 10  # of one account


class BadHook(Exception):
    """A webhook that cannot be made. field: "url", "competition", or "" for none of them."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@transaction.atomic
def register(owner: User, url: str, competition: Competition | None) -> Hook:
    """Make a webhook that gets what happens from now on. Raises BadHook.

    competition: whose feed it gets, which only organizers may have; None: that of the account.
    """
    owner = User.objects.select_for_update(no_key=True).get(pk=owner.pk)  # so that MOST_HOOKS holds
    if owner.closed is not None:
        raise BadHook("", _("This account is closed."))
    url = url.strip()
    try:
        targets.parse(url)
    except BadTarget as bad:
        raise BadHook("url", str(bad)) from None
    if competition is not None and not may_organize(owner, competition=competition):
        raise BadHook("competition", _("Only organizers have webhooks for competitions."))
    if owner.webhooks.filter(url=url, competition=competition).exists():
        raise BadHook("url", _("You have a webhook for this feed with this address."))
    if owner.webhooks.count() >= MOST_HOOKS:
        raise BadHook("", _("You have %(count)d webhooks. Delete one first.") % {"count": MOST_HOOKS})
    return Hook.objects.create(
        owner=owner,
        competition=competition,
        url=url,
        secret=signing.new_secret(),
        position=feed.last_number(),
    )


@transaction.atomic
def delete(hook: Hook) -> None:
    """Nothing is sent to it from now on."""
    # The webhook before its deliveries, as where attempts are stored.
    for gone in Hook.objects.select_for_update().filter(pk=hook.pk):
        gone.delete()


def switch_on(hook: Hook) -> None:
    """Go on with the event at which it was switched off, or try again now."""
    Hook.objects.filter(pk=hook.pk).update(off=None, failures=0, failing=None, due=timezone.now())
    hook.refresh_from_db()


@transaction.atomic
def send_again(delivery: Delivery) -> None:
    """Send the event once more, at once and before others."""
    # The webhook before its deliveries, as where attempts are stored.
    Hook.objects.filter(pk=delivery.hook_id).update(due=timezone.now())
    Delivery.objects.filter(pk=delivery.pk).update(again=True)
    delivery.refresh_from_db()
