"""Webhooks that lead to a receiver on this machine."""

from tests.receiver import Receiver
from tests.tournaments import build
from tournaments.models import Club, Webhook
from tournaments.webhooks import webhooks


def hook(to: Receiver, of: Club | None = None) -> tuple[Webhook, str]:
    """A webhook of a club, and its secret as people see it."""
    return webhooks.make(of or build.club(), to.url)
