"""Who logs in (User) and who sits at a table (Player)."""

from typing import Any, ClassVar

from django.contrib.auth.base_user import BaseUserManager
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models.functions import Lower
from django.utils.crypto import salted_hmac

from games.lookalikes import SKELETON_LENGTH, skeleton_of

NAME_LENGTH = 30


class UserManager(BaseUserManager["User"]):
    """Makes users known by their e-mail address."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Save and return a user; without a password nobody can log in as this user."""
        user = self.model(email=self.normalize_email(email), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Save and return a user who may do everything."""
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)

    @classmethod
    def normalize_email(cls, email: str | None) -> str:
        """Return the address in lower case: people do not type theirs the same way twice."""
        return (email or "").strip().lower()

    def get_by_natural_key(self, username: str | None) -> "User":
        """Return the user with this e-mail address, however it is capitalised."""
        return self.get(email=self.normalize_email(username))


class User(AbstractUser):
    """An account: an e-mail address and a password; the name others see is the player's.

    `sessions_ended` counts how often all its sessions were ended; those begun before the last time
    let nobody in any more. `look` is what was chosen of how pages and tables look, as
    `euchre_site.pages.look` writes it.
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
        """Return Django's hash of the password, and of how often sessions were ended if ever."""
        of_password: str = super()._get_session_auth_hash(secret=secret)  # type: ignore[misc]
        if not self.sessions_ended:
            return of_password
        value = f"{of_password} {self.sessions_ended}"
        salt = "games.models.User.sessions_ended"
        return salted_hmac(salt, value, secret=secret, algorithm="sha256").hexdigest()

    def get_full_name(self) -> str:
        """Return the address: the account has no other name."""
        return self.email

    def get_short_name(self) -> str:
        """Return the part of the address before the @."""
        return self.email.partition("@")[0]


class Player(models.Model):
    """Somebody who sits at tables: a person with or without an account, or a machine.

    `skeleton` is what the name has in common with all that look like it (`games.lookalikes`); of
    those who own their name, with an account or as programs, no two have the same. It is empty
    where two had before that was a rule. `cut_for_me` leaves the cut of the pack, where the rules
    have one, to the table. `reverses_packets` deals the packets in the reverse order, where the
    rules leave that to the dealer. `quick` asks house players not to take their time. `private`
    shows the player's record to nobody else. `owner` is whose program it is. `country` is an ISO
    3166 code, or nothing. `demonstration` marks a person made up for a demonstration, whose games
    the house has played: nobody logs in as that person. `former` marks who has deleted their
    account, or was a program of it: nobody is this player any more, and games and results keep it
    without a name.
    """

    class Kind(models.TextChoices):
        """What plays: a person, a house player of this server, or a program from outside."""

        PERSON = "person"
        HOUSE = "house"
        PROGRAM = "program"

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
    country = models.CharField(max_length=2, blank=True)
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

    def __str__(self) -> str:
        return self.name

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save; a new name gets its skeleton."""
        changed = kwargs.get("update_fields")
        if self._state.adding or (changed is not None and "name" in changed):
            self.skeleton = skeleton_of(self.name)
            if changed is not None:
                kwargs["update_fields"] = {*changed, "skeleton"}
        super().save(*args, **kwargs)

    @property
    def house(self) -> bool:
        """Whether this is a house player."""
        return self.kind == self.Kind.HOUSE

    @property
    def guest(self) -> bool:
        """Whether this is a person playing without an account."""
        nobody = self.user_id is None and not (self.demonstration or self.former)
        return self.kind == self.Kind.PERSON and nobody
