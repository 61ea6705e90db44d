"""People who act at random: what they do follows from a seed, and a refusal is an answer."""

import random
from abc import ABC, abstractmethod
from collections.abc import Callable
from datetime import timedelta

from django.db import transaction
from django.db.models import F

from agon.site.accounts.models import User
from agon.site.bots.models import Bot
from agon.site.core.db.transitions import IllegalTransition
from agon.site.use_cases import closing_accounts, leaving_play
from agon.site.use_cases.leaving_play import ActionNotAllowed


class AtRandom:
    """refusals: what acts may raise besides those of every test. done: for the report of a failure."""

    refusals: tuple[type[Exception], ...] = ()

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.done: list[str] = []

    def act(self, *acts: Callable[[], object]) -> None:
        """One of the acts, or its refusal."""
        act = self.draw.choice(acts)
        self.done.append(self.describe(act.__name__))
        try:
            with transaction.atomic():
                self.perform(act)
        except (ActionNotAllowed, IllegalTransition, *self.refusals) as refused:
            self.done.append(f"    {refused}")

    def describe(self, act: str) -> str:
        return act

    def perform(self, act: Callable[[], object]) -> None:
        act()


class OwnersAtRandom(AtRandom, ABC):
    @abstractmethod
    def some_bot(self) -> Bot:
        """Of whose owner the next act is."""

    def some_owner(self) -> User:
        return self.some_bot().owner

    def withdraw_bot(self) -> None:
        bot = self.some_bot()
        leaving_play.withdraw(bot, bot.owner)

    def reenter_bot(self) -> None:
        bot = self.some_bot()
        Bot.objects.filter(pk=bot.pk).update(changed=F("changed") - timedelta(hours=2))
        leaving_play.reenter(bot, bot.owner)

    def delete_bot(self) -> None:
        bot = self.some_bot()
        leaving_play.delete(bot, bot.owner)

    def close_account(self) -> None:
        owner = self.some_owner()
        if owner.is_active:
            closing_accounts.close(owner, owner, "goodbye", bots_too=self.draw.random() < 0.5)
