from django.apps import AppConfig


class TokensConfig(AppConfig):
    name = "agon.site.tokens"
