"""URLs of the pages in views.py."""

from django.urls import path

from agon.site.web.comparisons import views

urlpatterns = [
    path("submissions/<int:pk>/compare/", views.submission_compare, name="submission_compare"),
    path("comparisons/<int:pk>/", views.comparison, name="comparison"),
    path("comparisons/<int:pk>/cancel/", views.comparison_cancel, name="comparison_cancel"),
]
