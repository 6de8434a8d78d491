"""The acts of directors: those on the clock, then those in the order of the console's menus."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tournaments.acts.base import DirectorAct, Undo, Unknown
from tournaments.acts.checking_in import CheckIn
from tournaments.acts.correcting import SetResult
from tournaments.acts.drawing_again import DrawAgain, TakeRoundBack
from tournaments.acts.entering import Claim, Enter, LetInLate, Substitute
from tournaments.acts.house_players import HousePlayers
from tournaments.acts.message_to_all import Message
from tournaments.acts.message_to_table import MessageToTable
from tournaments.acts.moving_table import MoveTable
from tournaments.acts.new_codes import ChangeWalkInName, NewTableCode, NewWalkInCode
from tournaments.acts.penalties import GivePenalty
from tournaments.acts.playing_again import PlayAgain
from tournaments.acts.round_clock import EndRound, ExtendRound, NextRound, Pause, Resume
from tournaments.acts.seating_by_hand import ChangeSeats
from tournaments.acts.seeding import SetSeeds
from tournaments.acts.starting_and_ending import Cancel, MakeFinal, Start
from tournaments.acts.table_time import MoreTime
from tournaments.acts.withdrawing import PutBack, Withdraw
from tournaments.models import Act

ACTS: Final[Mapping[str, DirectorAct]] = {
    one.kind: one
    for one in (
        Start(),
        Pause(),
        Resume(),
        ExtendRound(),
        EndRound(),
        NextRound(),
        MakeFinal(),
        Cancel(),
        SetSeeds(),
        Message(),
        HousePlayers(),
        Enter(),
        LetInLate(),
        Claim(),
        CheckIn(),
        Withdraw(),
        PutBack(),
        NewWalkInCode(),
        ChangeWalkInName(),
        SetResult(),
        MoveTable(),
        ChangeSeats(),
        MoreTime(),
        MessageToTable(),
        GivePenalty(),
        Substitute(),
        NewTableCode(),
        PlayAgain(),
        DrawAgain(),
        TakeRoundBack(),
        Undo(),
    )
}


def act_of(row: Act) -> DirectorAct:
    """Return the act of a stored row."""
    return ACTS.get(row.kind) or Unknown()
