from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "agon.site.web"
