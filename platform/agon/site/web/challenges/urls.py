"""URLs of the pages in views.py."""

from django.urls import path

from agon.site.web.challenges import views

urlpatterns = [
    path("c/<slug:slug>/challenge/", views.challenge_new, name="challenge_new"),
    path("challenges/", views.own_challenges, name="own_challenges"),
    path("challenges/<int:pk>/", views.challenge, name="challenge"),
    path("challenges/<int:pk>/cancel/", views.challenge_cancel, name="challenge_cancel"),
    path("bots/<int:pk>/challenges/", views.bot_challenges, name="bot_challenges"),
]
