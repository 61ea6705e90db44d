"""Addresses of the pages in views.py."""

from django.urls import path

from bots import views

urlpatterns = [
    path("c/<slug:slug>/submit/", views.submit, name="submit"),
    path("bots/<int:pk>/", views.bot, name="bot"),
    path("submissions/<int:pk>/", views.submission, name="submission"),
    path("submissions/<int:pk>/source", views.source, name="submission_source"),
]
