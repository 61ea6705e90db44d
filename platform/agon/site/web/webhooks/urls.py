"""URLs of the pages in views.py."""

from django.urls import path

from agon.site.web.webhooks import views

urlpatterns = [
    path("webhooks/", views.webhooks, name="webhooks"),
    path("webhooks/<int:pk>/", views.webhook, name="webhook"),
    path("webhooks/<int:pk>/delete/", views.delete, name="webhook_delete"),
    path("webhooks/<int:pk>/switch-on/", views.switch_on, name="webhook_switch_on"),
    path("webhooks/<int:pk>/again/<int:delivery>/", views.send_again, name="webhook_again"),
]
