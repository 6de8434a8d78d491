"""Words to a club's members: on its page, and by e-mail to those who want its news."""

from datetime import datetime, timedelta
from typing import Final

from django.db import transaction

from games.models import Player
from tournaments.models import Announcement, Club, Membership
from tournaments.outbox import letters
from tournaments.refusals import RefusedError

#: How many announcements of a club go out in a day.
MOST_A_DAY: Final = 10
DAY: Final = timedelta(days=1)
#: Within this time the same words of the same person are the same announcement, sent twice.
TWICE: Final = timedelta(minutes=10)


def announce(club: Club, author: Player, subject: str, text: str, now: datetime) -> Announcement:
    """Put an announcement on the club's page and write it to the members who want its news.

    Args:
        club: the club.
        author: a director.
        subject: at most 100 characters.
        text: at most 5,000.
        now: the present time.

    Raises:
        RefusedError: the club has announced too much in a day.
    """
    with transaction.atomic():
        Club.objects.select_for_update().get(pk=club.pk)
        recent = club.announcements.filter(at__gt=now - DAY)
        same = recent.filter(author=author, subject=subject, text=text, at__gt=now - TWICE).first()
        if same is not None:
            return same
        if recent.count() >= MOST_A_DAY:
            raise RefusedError(
                "too many",
                f"A club may announce {MOST_A_DAY} things in 24 hours, and this one has done so. "
                "Nothing was sent.",
                429,
            )
        made = Announcement.objects.create(
            club=club, author=author, subject=subject, text=text, at=now
        )
        readers = club.memberships.filter(news=True).select_related("player__user")
        letters.write(
            _key(made.pk),
            [membership.player for membership in readers],
            f"{club.name}: {subject}",
            "announcement",
            announcement=made,
            club=club,
        )
    return made


def take_down(announcement: Announcement) -> None:
    """Take an announcement off the club's page and keep back the letters not sent yet."""
    with transaction.atomic():
        letters.keep_back(_key(announcement.pk))
        announcement.delete()


def choose_news(membership: Membership, *, news: bool) -> None:
    """Choose whether a member is sent the club's announcements."""
    membership.news = news
    membership.save(update_fields=["news"])


def _key(announcement_id: int) -> str:
    return f"announcement {announcement_id}"
