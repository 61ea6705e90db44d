"""URLs of the pages in views.py."""

from django.urls import path

from agon.site.web.events import views

urlpatterns = [
    path("notices/", views.notices, name="notices"),
    path("notices/unsubscribe/<str:token>/", views.unsubscribe, name="unsubscribe"),
    path("bots/<int:pk>/badge.svg", views.badge, name="bot_badge"),
]
