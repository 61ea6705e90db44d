"""What is done for accounts now and then."""

from importlib import import_module

from django.conf import settings

from agon.celery import app


@app.task(name="accounts.tasks.forget_sessions")
def forget_sessions() -> None:
    """Remove the sessions that are over: whoever comes without signing in may leave some, too."""
    import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()
