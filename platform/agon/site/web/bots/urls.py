"""URLs of the pages of bots and their submissions."""

from django.urls import path

from agon.site.bots.access import Act
from agon.site.web.bots import bot_views, code_views, home_views, life_views, submission_views, submit_views

urlpatterns = [
    path("c/<slug:slug>/submit/", submit_views.submit, name="submit"),
    path("c/<slug:slug>/home-bots/new/", home_views.make, name="home_bot_new"),
    path("bots/<int:pk>/open/", home_views.set_open, name="home_bot_open"),
    path("bots/<int:pk>/", bot_views.bot, name="bot"),
    path("submissions/<int:pk>/", submission_views.submission, name="submission"),
    path("submissions/<int:pk>/source", submission_views.source, name="submission_source"),
    path("submissions/<int:pk>/code/", code_views.code, name="submission_code"),
    path("submissions/<int:pk>/diff/", code_views.diff, name="submission_diff"),
    path("submissions/<int:pk>/restore/", life_views.restore, name="submission_restore"),
    path("submissions/<int:pk>/remove/", life_views.remove, name="submission_remove"),
    *(path(f"bots/<int:pk>/{act}/", life_views.act, {"act": act}, name=f"bot_{act}") for act in Act),
]
