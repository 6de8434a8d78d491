"""Values that callers send."""

from datetime import datetime
from typing import Annotated, Final

from pydantic import AfterValidator, AwareDatetime

#: Texts hold no control characters: databases refuse some of them.
NO_CONTROLS: Final = r"^[^\x00-\x1f\x7f]*$"
#: Years far from where a calendar or a time zone ends.
YEARS: Final = range(1900, 3000)


def _in_years(moment: datetime) -> datetime:
    if moment.year not in YEARS:
        raise ValueError(f"the year must be {YEARS[0]} to {YEARS[-1]}")
    return moment


#: A moment with its offset from UTC, as RFC 3339 writes it.
Moment = Annotated[AwareDatetime, AfterValidator(_in_years)]
