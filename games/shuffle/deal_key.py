"""Whether the secrets in the database can be read with the key of the settings."""

from django.core.exceptions import ImproperlyConfigured

from games.models import Game, Shuffle
from games.shuffle.secret_box import unseal


def opens() -> bool:
    """Whether the latest secret of a shuffle can be read, if there is any."""
    sealed = (
        Shuffle.objects.order_by("-made").values_list("secret", flat=True).first()
        or Game.objects.exclude(secret=b"")
        .order_by("-started")
        .values_list("secret", flat=True)
        .first()
    )
    if not sealed:
        return True
    try:
        unseal(sealed)
    except ImproperlyConfigured:
        return False
    return True
