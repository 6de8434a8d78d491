"""The sources of evidence, in the order in which they are listed."""

from collections.abc import Mapping
from typing import Final

from euchre_site.moderation.held_ratings import HeldRatings
from euchre_site.moderation.member_reports import MemberReports
from euchre_site.moderation.signs import Signs
from euchre_site.moderation.sources import EvidenceSource
from euchre_site.moderation.talk_reports import Talk

SOURCES: Final[Mapping[str, EvidenceSource]] = {
    source.key: source for source in (MemberReports(), Talk(), HeldRatings(), Signs())
}
