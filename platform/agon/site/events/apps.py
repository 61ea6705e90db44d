from django.apps import AppConfig


class EventsConfig(AppConfig):
    name = "agon.site.events"

    def ready(self) -> None:
        """Observe what makes events."""
        from agon.site.events import observing

        observing.register()
