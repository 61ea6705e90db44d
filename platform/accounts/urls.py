"""Addresses of the pages in views.py."""

from django.urls import re_path

from accounts import views

urlpatterns = [
    re_path(r"^u/(?P<name>[\w.@+-]{1,150})/$", views.user, name="user"),
]
