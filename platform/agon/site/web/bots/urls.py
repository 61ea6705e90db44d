"""URLs of the pages in views.py, code_views.py, and life_views.py."""

from django.urls import path

from agon.site.bots.access import Act
from agon.site.web.bots import code_views, life_views, views

urlpatterns = [
    path("c/<slug:slug>/submit/", views.submit, name="submit"),
    path("bots/<int:pk>/", views.bot, name="bot"),
    path("submissions/<int:pk>/", views.submission, name="submission"),
    path("submissions/<int:pk>/source", views.source, name="submission_source"),
    path("submissions/<int:pk>/code/", code_views.code, name="submission_code"),
    path("submissions/<int:pk>/diff/", code_views.diff, name="submission_diff"),
    path("submissions/<int:pk>/restore/", life_views.restore, name="submission_restore"),
    path("submissions/<int:pk>/remove/", life_views.remove, name="submission_remove"),
    *(path(f"bots/<int:pk>/{act}/", life_views.act, {"act": act}, name=f"bot_{act}") for act in Act),
]
