"""URLs of the pages in the views of this folder."""

from django.urls import path

from agon.site.web.leaderboards import insight_views, rungs_views, views

urlpatterns = [
    path("c/<slug:slug>/", views.leaderboard, name="competition"),
    path("c/<slug:slug>/events/", views.events, name="events"),
    path("c/<slug:slug>/decide/", views.decide, name="decide"),
    path("c/<slug:slug>/head-to-head/", views.head_to_head, name="head_to_head"),
    path("c/<slug:slug>/odd-results/", views.odd, name="odd_results"),
    path("bots/<int:pk>/rungs/", rungs_views.bot_rungs, name="bot_rungs"),
    path("bots/<int:pk>/analysis/", insight_views.bot_analysis, name="bot_analysis"),
    *(
        path(f"bots/<int:pk>/{what}.csv", insight_views.bot_csv, {"what": what}, name=f"bot_{what}_csv")
        for what in insight_views.DATA
    ),
]
