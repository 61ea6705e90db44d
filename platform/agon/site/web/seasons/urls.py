"""URLs of the pages in views.py."""

from django.urls import path

from agon.site.web.seasons import views

urlpatterns = [
    path("seasons/", views.seasons, name="seasons"),
    path("seasons/new/", views.new, name="season_new"),
    path("seasons/<int:pk>/", views.season, name="season"),
    path("seasons/<int:pk>/delete/", views.delete, name="season_delete"),
    path("seasons/<int:pk>/edit/", views.edit, name="season_edit"),
    path("seasons/<int:pk>/board.csv", views.season_csv, name="season_csv"),
    path("seasons/<int:pk>/board.json", views.season_json, name="season_json"),
]
