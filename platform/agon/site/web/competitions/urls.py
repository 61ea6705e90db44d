"""URLs of the pages in the views of this folder."""

from django.urls import path

from agon.site.web.competitions import announcement_views, organize_views, views

urlpatterns = [
    path("", views.home, name="home"),
    path("c/<slug:slug>/rules/", views.rules, name="rules"),
    path("c/<slug:slug>/rules/starters/<str:name>", views.starter, name="starter"),
    path("c/<slug:slug>/rules/starters/<str:name>/kit.zip", views.starter_kit, name="starter_kit"),
    path("competitions/", organize_views.own, name="own_competitions"),
    path("competitions/new/", organize_views.new, name="competition_new"),
    path("competitions/import/", organize_views.import_draft, name="competition_import"),
    path("competitions/drafts/<int:pk>/", organize_views.draft, name="competition_draft"),
    path("competitions/drafts/<int:pk>/open/", organize_views.open_draft, name="competition_open"),
    path("competitions/drafts/<int:pk>/delete/", organize_views.delete_draft, name="competition_delete"),
    path("c/<slug:slug>/settings/", organize_views.settings, name="competition_settings"),
    path("c/<slug:slug>/settings/state/", organize_views.state, name="competition_state"),
    path("c/<slug:slug>/settings/organizers/", organize_views.organizers, name="competition_organizers"),
    path("c/<slug:slug>/settings/link/", organize_views.link, name="competition_link"),
    path("c/<slug:slug>/settings/clone/", organize_views.clone, name="competition_clone"),
    path("c/<slug:slug>/settings/export.zip", organize_views.export, name="competition_export"),
    path("c/<slug:slug>/enter/<str:secret>/", organize_views.enter, name="competition_enter"),
    path("c/<slug:slug>/announcements/", announcement_views.announcements, name="announcements"),
    path("c/<slug:slug>/announcements/new/", announcement_views.new, name="announcement_new"),
    path("c/<slug:slug>/announcements/<int:pk>/", announcement_views.announcement, name="announcement"),
    path("c/<slug:slug>/announcements/<int:pk>/edit/", announcement_views.edit, name="announcement_edit"),
    path(
        "c/<slug:slug>/announcements/<int:pk>/withdraw/",
        announcement_views.withdraw,
        name="announcement_withdraw",
    ),
    path("c/<slug:slug>/history/", organize_views.past_tables, name="competition_past"),
    path("c/<slug:slug>/history/<int:number>/", organize_views.past_table, name="competition_past_table"),
    path("c/<slug:slug>/changes/", organize_views.changes, name="competition_changes"),
]
