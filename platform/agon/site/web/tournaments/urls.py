"""URLs of the pages in the views of this folder."""

from django.urls import path

from agon.site.web.tournaments import (
    calendar_views,
    matrix_views,
    organize_views,
    rerun_views,
    resolver_views,
    tv_views,
    views,
)

urlpatterns = [
    path("tv/", tv_views.tv, name="tv"),
    path("c/<slug:slug>/tv/", tv_views.competition_tv, name="competition_tv"),
    path("tournaments/<int:pk>/tv/", tv_views.tournament_tv, name="tournament_tv"),
    path("c/<slug:slug>/tournaments/", views.tournaments, name="tournaments"),
    path("c/<slug:slug>/tournaments/new/", views.create, name="tournament_new"),
    path("c/<slug:slug>/tournaments/new/estimate/", views.estimate, name="tournament_estimate"),
    path("c/<slug:slug>/tournaments/original", views.original, name="tournament_original"),
    path("tournaments/<int:pk>/", views.tournament, name="tournament"),
    path("tournaments/<int:pk>/edit", views.edit, name="tournament_edit"),
    path("tournaments/<int:pk>/start", views.act, {"action": "start"}, name="tournament_start"),
    path("tournaments/<int:pk>/pause", views.act, {"action": "pause"}, name="tournament_pause"),
    path("tournaments/<int:pk>/resume", views.act, {"action": "resume"}, name="tournament_resume"),
    path("tournaments/<int:pk>/cancel", views.act, {"action": "cancel"}, name="tournament_cancel"),
    path("tournaments/<int:pk>/organize", organize_views.organize, name="tournament_organize"),
    path("tournaments/<int:pk>/enter", organize_views.enter, name="tournament_enter"),
    path("tournaments/<int:pk>/matrix", matrix_views.tournament_matrix, name="tournament_matrix"),
    path("tournaments/<int:pk>/matrix.csv", matrix_views.tournament_matrix_csv, name="tournament_matrix_csv"),
    path("tournaments/<int:pk>/race.csv", matrix_views.tournament_race_csv, name="tournament_race_csv"),
    path("tournaments/<int:pk>/resolver/", resolver_views.stage, name="tournament_resolver"),
    path("tournaments/<int:pk>/resolver/presenter", resolver_views.presenter, name="tournament_presenter"),
    path("tournaments/<int:pk>/resolver/next", resolver_views.advance, name="tournament_advance"),
    path("tournaments/<int:pk>/rerun", rerun_views.tournament_rerun, name="tournament_rerun"),
    path("tournaments/<int:pk>/calendar.ics", calendar_views.of_tournament, name="tournament_calendar"),
    path("c/<slug:slug>/calendar.ics", calendar_views.of_competition, name="competition_calendar"),
    path("tournaments/<int:pk>/trf", views.trf, name="tournament_trf"),
]
