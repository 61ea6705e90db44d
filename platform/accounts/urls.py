"""Addresses of the pages in views.py."""

from django.urls import path

from accounts import views

urlpatterns = [
    path("u/<str:name>/", views.user, name="user"),
]
