"""The table of how a re-run changed outcomes."""

from typing import Any

from django import template

from agon.site.tournaments.reruns import Preview

register = template.Library()


@register.inclusion_tag("tournaments/outcomes.html")
def outcome_table(preview: Preview) -> dict[str, Any]:
    """A row for each old outcome, a column for each new one."""
    words = sorted({word for pair in preview.outcomes for word in pair})
    rows = [(old, [(new == old, preview.outcomes.get((old, new), 0)) for new in words]) for old in words]
    return {"words": words, "rows": rows}
