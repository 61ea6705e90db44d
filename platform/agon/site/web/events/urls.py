"""URLs of the pages in views.py, and of the feeds in atom.py."""

from django.urls import path

from agon.site.web.events import atom, views

urlpatterns = [
    path("notices/", views.notices, name="notices"),
    path("notices/unsubscribe/<str:token>/", views.unsubscribe, name="unsubscribe"),
    path("notices/feed/", atom.change_address, name="notices_feed"),
    path("notices/<str:secret>.atom", atom.of_account, name="notices_atom"),
    path("c/<slug:slug>/events.atom", atom.of_competition, name="competition_atom"),
    path("bots/<int:pk>/badge.svg", views.badge, name="bot_badge"),
]
