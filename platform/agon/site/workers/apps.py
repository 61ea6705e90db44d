from django.apps import AppConfig


class PipelineConfig(AppConfig):
    name = "agon.site.workers"

    def ready(self) -> None:
        from agon.site.use_cases import effects  # models cannot be imported before the apps are ready

        effects.register()
