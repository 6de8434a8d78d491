"""Names without case, accents and punctuation, the same in Python, SQLite and PostgreSQL.

Both databases fold as they search, so that there is no copy of the names to keep up to date. In
SQLite it is this module's function; in PostgreSQL it is built from functions that every
installation has, without the extension `unaccent`.
"""

import re
import unicodedata
from typing import Any, Final

from django.db.backends.signals import connection_created
from django.db.models import CharField, Func

#: Combining marks that letters lose, after decomposition.
MARKS: Final = "[\u0300-\u036f]+"
#: Letters that do not decompose, and signs between words.
LETTERS: Final = {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ς": "σ"}
DOUBLE: Final = {"ß": "ss", "æ": "ae", "œ": "oe", "þ": "th"}
SIGNS: Final = "-‐‑–'’‘`´.,:;/_&()\"“”„!?+*#@|"
SINGLE: Final = LETTERS | dict.fromkeys(SIGNS, " ")
_plain: Final = str.maketrans(SINGLE | DOUBLE)
_marks: Final = re.compile(MARKS)


def fold(text: str) -> str:
    """Return a text in small letters without accents, with spaces for signs between words.

    It begins with a space, so that words begin where a space is followed by their letters.
    """
    plain = _marks.sub("", unicodedata.normalize("NFKD", text).lower())
    return " " + plain.translate(_plain)


class Folded(Func):
    """The SQL of `fold`."""

    arity = 1
    output_field = CharField()
    function = "bower_fold"

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """Return the SQL of PostgreSQL 13 and later."""
        sql, params = compiler.compile(self.source_expressions[0])
        folded = f"regexp_replace(lower(normalize({sql}, NFKD)), %s, '', 'g')"
        folded, params = (
            f"translate({folded}, %s, %s)",
            [
                *params,
                MARKS,
                "".join(SINGLE),
                "".join(SINGLE.values()),
            ],
        )
        for letter, letters in DOUBLE.items():
            folded, params = f"replace({folded}, %s, %s)", [*params, letter, letters]
        return f"(' ' || {folded})", params


def add_function(connection: Any, **_kwargs: Any) -> None:
    """Give a new SQLite connection the function of `Folded`."""
    if connection.vendor == "sqlite":
        connection.connection.create_function(
            Folded.function, 1, lambda text: text and fold(text), deterministic=True
        )


connection_created.connect(add_function, dispatch_uid="tournaments.search.folding")
