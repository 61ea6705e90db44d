from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "agon.site.api"
