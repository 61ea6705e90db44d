"""URLs of the pages in the views of this folder."""

from django.urls import path

from agon.site.web.events import atom, following_views, views

urlpatterns = [
    path("bots/<int:pk>/follow/", following_views.follow_bot, name="follow_bot"),
    path("c/<slug:slug>/follow/", following_views.follow_competition, name="follow_competition"),
    path("notices/", views.notices, name="notices"),
    path("notices/unsubscribe/<str:token>/", views.unsubscribe, name="unsubscribe"),
    path("notices/feed/", atom.change_address, name="notices_feed"),
    path("notices/<str:secret>.atom", atom.of_account, name="notices_atom"),
    path("c/<slug:slug>/events.atom", atom.of_competition, name="competition_atom"),
    path("bots/<int:pk>/badge.svg", views.badge, name="bot_badge"),
]
