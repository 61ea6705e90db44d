"""URLs of the pages in views.py, embed_views.py, first_win_views.py, and replay_views.py."""

from django.urls import path

from agon.site.web.matches import embed_views, first_win_views, replay_views, views

urlpatterns = [
    path("c/<slug:slug>/matches/", views.matches, name="matches"),
    path("c/<slug:slug>/first-win/", first_win_views.view, name="first_win"),
    path("matches/<int:pk>/", views.match, name="match"),
    path("matches/<int:pk>/record.json", views.record, name="match_record"),
    path("matches/<int:pk>/log.json", replay_views.log, name="match_log"),
    path("matches/<int:pk>/live.json", replay_views.live, name="match_live"),
    path("matches/<int:pk>/debug.json", replay_views.debug, name="match_debug"),
    path("matches/<int:pk>/archive", views.archive, name="match_archive"),
    path("matches/<int:pk>/files/<str:name>", views.file, name="match_file"),
    path("matches/<int:pk>/stderr/<int:number>", views.stderr, name="match_stderr"),
    path("matches/<int:pk>/embed/", embed_views.embed, name="match_embed"),
    path("matches/<int:pk>/picture.png", embed_views.picture, name="match_picture"),
    path("oembed/", embed_views.oembed, name="oembed"),
    path("games/<slug:game>/viewer.js", replay_views.viewer, name="viewer"),
    path("games/<slug:script>.js", replay_views.shared_script, name="shared_script"),
]
