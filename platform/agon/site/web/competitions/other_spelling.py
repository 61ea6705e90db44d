"""The page for what does not exist; /c/a_b/ is found as /c/a-b/, and the other way round."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.defaults import page_not_found

from agon.site.competitions.models import Competition
from agon.site.web.core.error_views import in_pool


@in_pool
def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Redirect to the same page of the competition that differs in hyphens and underscores only; else 404."""
    match = request.resolver_match
    given = None if match is None else match.kwargs.get("slug")
    if match is None or given is None or request.method not in ("GET", "HEAD"):
        return page_not_found(request, exception)
    slugs = Competition.objects.values_list("slug", flat=True)
    spelling = next((slug for slug in slugs if slug != given and _key(slug) == _key(given)), None)
    if spelling is None or Competition.objects.filter(slug=given).exists():
        return page_not_found(request, exception)
    query = request.META.get("QUERY_STRING", "")
    address = reverse(match.view_name, args=match.args, kwargs=match.kwargs | {"slug": spelling})
    return redirect(f"{address}?{query}" if query else address)


def _key(slug: str) -> str:
    return slug.replace("_", "-")
