from django.apps import AppConfig


class PipelineConfig(AppConfig):
    name = "pipeline"

    def ready(self) -> None:
        from pipeline import effects  # models cannot be imported before the apps are ready

        effects.register()
