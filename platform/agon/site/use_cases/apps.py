from django.apps import AppConfig


class UseCasesConfig(AppConfig):
    name = "agon.site.use_cases"

    def ready(self) -> None:
        from agon.site.use_cases import (
            effects,
            logged_ends,
        )  # models cannot be imported before the apps are ready

        effects.register()
        logged_ends.watch()
