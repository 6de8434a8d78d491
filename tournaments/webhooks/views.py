"""The pages of a club's webhooks, for its owners, and texts for chats without one."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from tournaments.access import club_of, event_of
from tournaments.answers import SeeOther
from tournaments.models import Club, Webhook
from tournaments.refusals import RefusedError
from tournaments.webhooks import chats, webhooks

#: Deliveries shown for a webhook.
LATEST = 30
#: Characters of a text to copy; WhatsApp takes more than that.
MAX_COPIED = 20_000


class WebhookForm(forms.Form):
    """A webhook's URL; `webhooks.make` checks whether it is allowed."""

    url = forms.URLField(
        label="Address",
        max_length=Webhook._meta.get_field("url").max_length,
        assume_scheme="https",
        widget=forms.URLInput({"placeholder": "https://example.org/euchre"}),
        help_text="A program there gets a signed POST request whenever a result is final. With the "
        "address of a Discord or Slack channel’s webhook, each round and result is posted there.",
    )


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def club_webhooks(request: HttpRequest, slug: str) -> HttpResponse:
    """List a club's webhooks, and add one; its secret is shown only in the response."""
    club = club_of(request, slug, "own_club").club
    form = WebhookForm(request.POST if request.method == "POST" else None)
    made, secret, status = None, "", 200
    if form.is_valid():
        try:
            made, secret = webhooks.make(club, form.cleaned_data["url"])
        except RefusedError as error:
            form.add_error("url", error.message)
            status = error.status
        else:
            form, status = WebhookForm(), 201
    elif form.is_bound:
        status = 422
    context = {
        "club": club,
        "webhooks": club.webhooks.all(),
        "form": form,
        "made": made,
        "secret": secret,
        "most": webhooks.MAX_WEBHOOKS,
    }
    return render(request, "tournaments/webhooks/club_webhooks.html", context, status=status)


@require_safe
def webhook_page(request: HttpRequest, slug: str, webhook_id: int) -> HttpResponse:
    club = club_of(request, slug, "own_club").club
    webhook = _webhook(club, webhook_id)
    context = {"club": club, "webhook": webhook, "deliveries": webhook.deliveries.all()[:LATEST]}
    return render(request, "tournaments/webhooks/webhook.html", context)


@require_POST
def test_webhook(request: HttpRequest, slug: str, webhook_id: int) -> HttpResponse:
    webhook = _webhook(club_of(request, slug, "own_club").club, webhook_id)
    webhooks.send_test(webhook, timezone.now())
    return _done(
        request, webhook, "A test is on its way. Reload this page to see whether it arrives."
    )


@require_POST
def pause_webhook(request: HttpRequest, slug: str, webhook_id: int) -> HttpResponse:
    webhook = _webhook(club_of(request, slug, "own_club").club, webhook_id)
    webhooks.pause(webhook)
    return _done(request, webhook, "Nothing will be sent there until you resume it.")


@require_POST
def resume_webhook(request: HttpRequest, slug: str, webhook_id: int) -> HttpResponse:
    """Resume a webhook; waiting messages are sent."""
    webhook = _webhook(club_of(request, slug, "own_club").club, webhook_id)
    webhooks.resume(webhook)
    return _done(request, webhook, "Messages will be sent again, waiting ones first.")


@require_POST
def remove_webhook(request: HttpRequest, slug: str, webhook_id: int) -> HttpResponse:
    club = club_of(request, slug, "own_club").club
    webhook = _webhook(club, webhook_id)
    webhook.delete()
    messages.success(request, f"{webhook.url} has been deleted.")
    return SeeOther(resolve_url("club_webhooks", club.slug))


@require_POST
def send_again(request: HttpRequest, slug: str, webhook_id: int, delivery_id: int) -> HttpResponse:
    webhook = _webhook(club_of(request, slug, "own_club").club, webhook_id)
    webhooks.send_again(get_object_or_404(webhook.deliveries, pk=delivery_id), timezone.now())
    return _done(request, webhook, "It will be sent again.")


@require_safe
def chat_texts(request: HttpRequest, event_id: int) -> HttpResponse:
    """Show the last round and the standings as texts to copy into a group chat."""
    event = event_of(request, event_id).event
    number, link = event.played_rounds.count(), chats.link_to(event)
    texts = {}
    if number:
        for heading, lines in (
            (f"Round {number}", chats.round_lines(event, number)),
            ("Standings", chats.result_lines(event)),
        ):
            texts[heading] = chats.text(lines, link, MAX_COPIED)
    context = {"event": event, "texts": texts}
    return render(request, "tournaments/webhooks/chat_texts.html", context)


def _webhook(club: Club, webhook_id: int) -> Webhook:
    return get_object_or_404(club.webhooks.select_related("club"), pk=webhook_id)


def _done(request: HttpRequest, webhook: Webhook, words: str) -> HttpResponse:
    messages.success(request, words)
    return SeeOther(resolve_url("webhook", webhook.club.slug, webhook.pk))
