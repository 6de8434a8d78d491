"""Names in the order of printed lists. The family name is taken to be the last word."""

from unicodedata import combining, normalize


def split_name(name: str) -> tuple[str, str]:
    """Return the family name and what comes before it: "Berg" and "Anna" of "Anna Berg"."""
    first, _, family = name.strip().rpartition(" ")
    return family, first


def by_family_name(name: str) -> tuple[str, str]:
    """Return the key that sorts by family name, then by the rest, without case and accents."""
    plain = "".join(sign for sign in normalize("NFKD", name).casefold() if not combining(sign))
    return split_name(plain)


def listed(name: str) -> str:
    """Return a name as it stands in a list: "Berg, Anna"."""
    return ", ".join(filter(None, split_name(name)))
