"""URLs of the pages in the views of this folder. The page of a team is that of its account."""

from django.urls import path

from agon.site.web.teams import joining_views, views

urlpatterns = [
    path("teams/", views.teams, name="teams"),
    path("teams/join/<slug:secret>/", joining_views.join, name="team_join"),
    path("teams/<int:pk>/invite/", views.invite, name="team_invite"),
    path("teams/<int:pk>/revoke/", views.revoke, name="team_revoke"),
    path("teams/<int:pk>/leave/", views.leave, name="team_leave"),
    path("teams/<int:pk>/close/", views.close, name="team_close"),
    path("teams/<int:pk>/members/<int:member>/remove/", views.remove, name="team_remove"),
    path("teams/<int:pk>/members/<int:member>/role/", views.role, name="team_role"),
]
