"""URLs of the pages in views.py and closing_views.py."""

from django.urls import re_path

from agon.site.web.accounts import closing_views, views

urlpatterns = [
    re_path(r"^u/(?P<name>[\w.@+-]{1,150})/$", views.user, name="user"),
    re_path(r"^u/(?P<name>[\w.@+-]{1,150})/close/$", closing_views.close, name="user_close"),
]
