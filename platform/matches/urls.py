"""Addresses of the pages in views.py and replay_views.py."""

from django.urls import path

from matches import replay_views, views

urlpatterns = [
    path("c/<slug:slug>/matches/", views.matches, name="matches"),
    path("matches/<int:pk>/", views.match, name="match"),
    path("matches/<int:pk>/record.json", views.record, name="match_record"),
    path("matches/<int:pk>/log.json", replay_views.log, name="match_log"),
    path("matches/<int:pk>/archive", views.archive, name="match_archive"),
    path("matches/<int:pk>/files/<str:name>", views.file, name="match_file"),
    path("matches/<int:pk>/stderr/<int:number>", views.stderr, name="match_stderr"),
    path("games/<slug:game>/viewer.js", replay_views.viewer, name="viewer"),
]
