"""URLs of the pages in the views of this folder."""

from django.urls import path

from agon.site.web.fleet import views

urlpatterns = [
    path("operate/", views.operate, name="operate"),
    path("operate/acts/", views.act, name="operate_act"),
]
