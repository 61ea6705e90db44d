"""URLs of the pages in views.py."""

from django.urls import path

from agon.site.web.trials import views

urlpatterns = [
    path("c/<slug:slug>/editor/", views.editor, name="editor"),
    path("trials/<str:token>/", views.trial, name="trial"),
    path("trials/<str:token>/batch/", views.batch, name="trial_batch"),
    path("trials/<str:token>/log.json", views.log, name="trial_log"),
    path("trials/<str:token>/debug.json", views.debug, name="trial_debug"),
]
