"""Periodic tasks for accounts."""

from importlib import import_module

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.sessions.models import Session

from agon.site.accounts import sent_forms
from agon.site.celery import app


@app.task(name="agon.site.accounts.tasks.forget_sessions")
def forget_sessions() -> None:
    """Delete expired sessions, including those of anonymous visitors, and answers to forms."""
    import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()
    alive = Session.objects.values("session_key")
    UserSession.objects.exclude(session_key__in=alive).delete()  # with their addresses
    sent_forms.forget_old()
