from django.apps import AppConfig


class EventsConfig(AppConfig):
    name = "agon.site.events"

    def ready(self) -> None:
        """Observe what events tell of."""
        from agon.site.events import observing

        observing.register()
