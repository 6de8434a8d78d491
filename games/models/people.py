"""Accounts (User) and players (Player)."""

from typing import Any, ClassVar

from django.contrib.auth.base_user import BaseUserManager
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models.functions import Lower
from django.utils.crypto import salted_hmac

from games.lookalikes import SKELETON_LENGTH, skeleton_of

NAME_LENGTH = 30
ABOUT_LENGTH = 120


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        user = self.model(email=self.normalize_email(email), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)

    @classmethod
    def normalize_email(cls, email: str | None) -> str:
        """Return the address in lower case, since people vary the case of theirs."""
        return (email or "").strip().lower()

    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(email=self.normalize_email(username))


class User(AbstractUser):
    """An account: an e-mail address and a password; the public name is the player's.

    `sessions_ended` counts how often all sessions were ended, which invalidates earlier ones.
    `look` holds the chosen appearance of pages and tables, see `euchre_site.pages.look`.
    """

    username = None  # type: ignore[assignment]
    first_name = None  # type: ignore[assignment]
    last_name = None  # type: ignore[assignment]
    email = models.EmailField("e-mail address", unique=True)
    sessions_ended = models.PositiveIntegerField(default=0, editable=False)
    look = models.CharField(max_length=200, blank=True, editable=False)

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []
    objects: ClassVar[UserManager] = UserManager()  # type: ignore[assignment]

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(email=Lower("email")), name="user_email_lower_case"
            )
        ]

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """Return Django's hash of the password, mixed with `sessions_ended` unless that is 0."""
        of_password: str = super()._get_session_auth_hash(secret=secret)  # type: ignore[misc]
        if not self.sessions_ended:
            return of_password
        value = f"{of_password} {self.sessions_ended}"
        salt = "games.models.User.sessions_ended"
        return salted_hmac(salt, value, secret=secret, algorithm="sha256").hexdigest()

    def get_full_name(self) -> str:
        return self.email

    def get_short_name(self) -> str:
        return self.email.partition("@")[0]


class Player(models.Model):
    """A player: a person with or without an account, a house player, or a program.

    `skeleton` is shared by all names that look like this one (`games.lookalikes`) and unique among
    players with an account and programs; it is empty for clashes older than that rule.
    `cut_for_me`: the table cuts the pack for them. `reverses_packets`: they deal the packets in the
    reverse order if the rules leave that to the dealer. `quick`: house players act without delay.
    `private`: their record is visible only to them. `seen_by`: to whom they show that they are
    online (`games.people.online`). `named_watching`: their name, not only their number, is shown
    while they watch a table (`games.play.spectators`). `about`: what they write about themselves
    (`games.people.about`). `owner`: of a program. `country`: an ISO 3166 code, or empty.
    `demonstration`: a made-up person of a demonstration, as whom nobody logs in. `former`: the
    account has been deleted, with its programs; games and results keep the player without a name.
    """

    class Kind(models.TextChoices):
        PERSON = "person"
        HOUSE = "house"
        PROGRAM = "program"

    class SeenBy(models.TextChoices):
        NOBODY = "nobody"
        FRIENDS = "friends"
        EVERYBODY = "everybody"

    name = models.CharField(max_length=NAME_LENGTH)
    skeleton = models.CharField(
        max_length=SKELETON_LENGTH, blank=True, editable=False, db_index=True
    )
    kind = models.CharField(max_length=8, choices=Kind, default=Kind.PERSON)
    user = models.OneToOneField(
        User, on_delete=models.SET_NULL, null=True, blank=True, related_name="player"
    )
    cut_for_me = models.BooleanField(default=True)
    reverses_packets = models.BooleanField(default=False)
    quick = models.BooleanField(default=False)
    private = models.BooleanField(default=False)
    seen_by = models.CharField(max_length=9, choices=SeenBy, default=SeenBy.FRIENDS)
    named_watching = models.BooleanField(default=False)
    country = models.CharField(max_length=2, blank=True)
    about = models.CharField(max_length=ABOUT_LENGTH, blank=True)
    owner = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="programs"
    )
    demonstration = models.BooleanField(default=False)
    former = models.BooleanField(default=False)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=~models.Q(name=""), name="player_has_a_name"),
            models.CheckConstraint(
                condition=models.Q(kind__in=["person", "house", "program"]),
                name="player_kind_known",
            ),
            models.CheckConstraint(
                condition=models.Q(user=None) | models.Q(kind="person"),
                name="player_account_is_a_persons",
            ),
            models.CheckConstraint(
                condition=models.Q(owner=None) | models.Q(kind="program"),
                name="player_owner_is_a_programs",
            ),
            models.UniqueConstraint(
                fields=["skeleton"],
                condition=(models.Q(user__isnull=False) | models.Q(kind="program"))
                & ~models.Q(skeleton=""),
                name="player_name_is_one_s_own",
            ),
            models.CheckConstraint(
                condition=models.Q(demonstration=False) | models.Q(kind="person", user=None),
                name="player_of_a_demonstration_has_no_account",
            ),
            models.CheckConstraint(
                condition=models.Q(former=False) | models.Q(user=None),
                name="player_who_has_gone_has_no_account",
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["name"], condition=models.Q(kind="house"), name="player_of_the_house"
            )
        ]

    def __str__(self) -> str:
        return self.name

    def save(self, *args: Any, **kwargs: Any) -> None:
        changed = kwargs.get("update_fields")
        if self._state.adding or (changed is not None and "name" in changed):
            self.skeleton = skeleton_of(self.name)
            if changed is not None:
                kwargs["update_fields"] = {*changed, "skeleton"}
        super().save(*args, **kwargs)

    @property
    def house(self) -> bool:
        return self.kind == self.Kind.HOUSE

    @property
    def guest(self) -> bool:
        nobody = self.user_id is None and not (self.demonstration or self.former)
        return self.kind == self.Kind.PERSON and nobody
