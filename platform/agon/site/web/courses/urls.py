"""URLs of the pages in the views of this folder."""

from django.urls import path

from agon.site.web.courses import (
    extension_views,
    joining_views,
    judging_views,
    milestone_views,
    progress_views,
    roster_views,
    similar_views,
    views,
)

urlpatterns = [
    path("courses/", views.own, name="own_courses"),
    path("courses/new/", views.new, name="course_new"),
    path("courses/<slug:slug>/", views.course, name="course"),
    path("courses/<slug:slug>/competitions/", views.competitions, name="course_competitions"),
    path("courses/<slug:slug>/staff/", views.staff, name="course_staff"),
    path("courses/<slug:slug>/state/", views.state, name="course_state"),
    path("courses/<slug:slug>/roster/", roster_views.roster, name="course_roster"),
    path("courses/<slug:slug>/roster.csv", roster_views.roster_csv, name="course_roster_csv"),
    path("courses/<slug:slug>/milestones/new/", milestone_views.new, name="course_milestone_new"),
    path("courses/<slug:slug>/milestones/<int:pk>/", milestone_views.milestone, name="course_milestone"),
    path("courses/<slug:slug>/milestones/<int:pk>/judging/", judging_views.judging, name="course_judging"),
    path(
        "courses/<slug:slug>/milestones/<int:pk>/extensions/",
        extension_views.extensions,
        name="course_extensions",
    ),
    path("courses/<slug:slug>/assessments/<int:pk>/", judging_views.assessment, name="course_assessment"),
    path("courses/<slug:slug>/scale/", milestone_views.scale, name="course_scale"),
    path("courses/<slug:slug>/progress/", progress_views.progress, name="course_progress"),
    path("courses/<slug:slug>/grades.csv", progress_views.grades, {"form": "csv"}, name="course_grades"),
    path(
        "courses/<slug:slug>/grades-moodle.csv",
        progress_views.grades,
        {"form": "moodle"},
        name="course_grades_moodle",
    ),
    path(
        "courses/<slug:slug>/grades-canvas.csv",
        progress_views.grades,
        {"form": "canvas"},
        name="course_grades_canvas",
    ),
    path("courses/<slug:slug>/similar/", similar_views.similar, name="course_similar"),
    path("courses/<slug:slug>/links/", roster_views.links, name="course_links"),
    path("courses/<slug:slug>/students/<int:pk>/", roster_views.student, name="course_student"),
    path("join/<slug:secret>/", joining_views.join, name="course_join"),
]
