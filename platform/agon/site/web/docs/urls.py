"""URLs of the pages in views.py."""

from django.urls import path

from agon.site.web.docs import views

urlpatterns = [
    path("docs/", views.index, name="docs"),
    path("docs/images/<str:image>", views.image, name="docs_image"),
    path("docs/<path:page>.md", views.markdown, name="docs_markdown"),
    path("docs/<path:page>/", views.page, name="docs_page"),
    path("llms.txt", views.llms, name="llms"),
]
