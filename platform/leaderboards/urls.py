"""Addresses of the pages in views.py."""

from django.urls import path

from leaderboards import views

urlpatterns = [
    path("c/<slug:slug>/", views.leaderboard, name="competition"),
    path("c/<slug:slug>/events/", views.events, name="events"),
    path("c/<slug:slug>/decide/", views.decide, name="decide"),
]
