"""URLs of the pages in views.py."""

from django.urls import path

from agon.site.web.competitions import views

urlpatterns = [
    path("", views.home, name="home"),
    path("c/<slug:slug>/rules/", views.rules, name="rules"),
    path("c/<slug:slug>/rules/starters/<str:name>", views.starter, name="starter"),
]
