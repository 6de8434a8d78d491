"""Template filters for actions and reports: links to their subjects."""

from django import template
from django.urls import reverse

from euchre_site.office import actions
from games.models import About, OperatorAct, Report
from tournaments.models import Club

register = template.Library()
register.filter("reversible", actions.reversible)


@register.filter
def page_of(one: OperatorAct | Report) -> str:
    """Return the path of the staff page about the subject; empty if there is none."""
    key = one.about_id
    if key is None:
        return ""
    if one.about == About.CLUB:
        slug = Club.objects.filter(pk=key).values_list("slug", flat=True).first()
        return reverse("office_club", args=[slug]) if slug else ""
    if one.about == About.EVENT:
        return reverse("manage_event", args=[key])
    names = {About.USER: "office_user", About.PLAYER: "office_player"}
    return reverse(names[About(one.about)], args=[key]) if one.about in names else ""


@register.filter
def shown_at(report: Report) -> str:
    if report.about == About.CLUB:
        slug = Club.objects.filter(pk=report.about_id).values_list("slug", flat=True).first()
        return reverse("club", args=[slug]) if slug else ""
    return reverse(report.about, args=[report.about_id])
