"""Template tags about what readers follow."""

from django import template
from django.template import RequestContext

from agon.site.bots.models import Bot
from agon.site.competitions.models import Competition
from agon.site.events import following

register = template.Library()


@register.simple_tag(takes_context=True)
def follows(context: RequestContext, followed: Bot | Competition) -> bool:
    """Whether the reader, who is signed in, follows this."""
    return following.is_followed(context["user"], followed)
