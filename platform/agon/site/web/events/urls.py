"""URLs of the pages in the views of this folder."""

from django.urls import path

from agon.site.web.events import following_views, views

urlpatterns = [
    path("bots/<int:pk>/follow/", following_views.follow_bot, name="follow_bot"),
    path("c/<slug:slug>/follow/", following_views.follow_competition, name="follow_competition"),
    path("notices/", views.notices, name="notices"),
    path("notices/unsubscribe/<str:token>/", views.unsubscribe, name="unsubscribe"),
    path("bots/<int:pk>/badge.svg", views.badge, name="bot_badge"),
]
