"""Registers the administration of every area: Django imports this module when it starts."""

from agon.site.web.accounts import admin as accounts
from agon.site.web.audit import admin as audit
from agon.site.web.bots import admin as bots
from agon.site.web.competitions import admin as competitions
from agon.site.web.fleet import admin as fleet
from agon.site.web.leaderboards import admin as leaderboards
from agon.site.web.matches import admin as matches
from agon.site.web.tournaments import admin as tournaments

__all__ = ["accounts", "audit", "bots", "competitions", "fleet", "leaderboards", "matches", "tournaments"]
