"""URLs of the pages in the views of this folder."""

from django.urls import path

from agon.site.web.courses import joining_views, roster_views, views

urlpatterns = [
    path("courses/", views.own, name="own_courses"),
    path("courses/new/", views.new, name="course_new"),
    path("courses/<slug:slug>/", views.course, name="course"),
    path("courses/<slug:slug>/staff/", views.staff, name="course_staff"),
    path("courses/<slug:slug>/state/", views.state, name="course_state"),
    path("courses/<slug:slug>/roster/", roster_views.roster, name="course_roster"),
    path("courses/<slug:slug>/roster.csv", roster_views.roster_csv, name="course_roster_csv"),
    path("courses/<slug:slug>/links/", roster_views.links, name="course_links"),
    path("courses/<slug:slug>/students/<int:pk>/", roster_views.student, name="course_student"),
    path("join/<slug:secret>/", joining_views.join, name="course_join"),
]
