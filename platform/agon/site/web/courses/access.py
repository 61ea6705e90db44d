"""Courses for the pages: who gets in. Others learn nothing of a course: 404."""

from django.http import Http404
from django.shortcuts import get_object_or_404

from agon.site.courses.models import Course, Role
from agon.site.courses.queries import role_in
from agon.site.web.core.requests import SignedInRequest


def for_staff(request: SignedInRequest, slug: str) -> Course:
    """A course that the reader teaches or assists. Raises Http404."""
    course = get_object_or_404(Course, slug=slug)
    if role_in(course, request.user) is None:
        raise Http404
    return course


def for_teachers(request: SignedInRequest, slug: str) -> Course:
    """A course that the reader teaches. Raises Http404."""
    course = get_object_or_404(Course, slug=slug)
    if role_in(course, request.user) != Role.TEACHER:
        raise Http404
    return course
