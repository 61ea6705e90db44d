from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    name = "agon.site.webhooks"
