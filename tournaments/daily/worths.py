"""What the choices at the house's decisions in one's seat were worth, by what it could see there.

Until somebody does something else than the house, the same has happened to both. So these decisions
are all at which anybody can part from it, some twenty a day, and are valued once for everybody.
"""

from datetime import datetime
from typing import Final

from django.db import transaction

from games.analysis.valuing import STEPS, SURE, Sums, has_choices, value_as_data
from games.engine.actions import Action, action_text
from games.models import Game
from games.records.game_files import played_of
from games.review import wording
from games.review.decisions import SeatDecision, decisions_in
from games.subprocesses.client import Worker
from tournaments.models import DailyDeal
from tournaments.models.daily import SEAT

#: Deals a value rests on, and the steps in which they are drawn.
WORLDS: Final = 240
DRAWN: Final = range(STEPS.index(WORLDS) + 1)
#: Seconds after which a step, about a twentieth of a second's work, has failed on a busy machine.
STEP_LIMIT: Final = 120.0
#: How far the work stands back for other processes.
NICENESS: Final = 10


def value_deal(daily: DailyDeal, _now: datetime) -> bool:
    """Value the next deal of a closed day; return False if it has been valued meanwhile.

    It takes some seconds of another process.
    """
    game = Game.objects.get(table=daily.house_table_id)
    decisions = decisions_in(played_of(game).deals[daily.valued])
    with Worker(value_as_data, NICENESS) as worker:
        found = {
            str(one.step): _value(one, worker)
            for one in decisions
            if one.seat == SEAT and has_choices(one.seen)
        }
    with transaction.atomic():
        held = DailyDeal.objects.select_for_update().get(pk=daily.pk)
        if held.valued != daily.valued:
            return False
        held.worths, held.valued = [*held.worths, found], held.valued + 1
        held.save(update_fields=["worths", "valued"])
    return True


def _value(decision: SeatDecision, worker: Worker) -> dict[str, list[float]]:
    """Return by choice its value, the error of that, and that of the difference to the house's."""
    seen, taken = decision.seen, decision.seen.legal.index(decision.taken)
    sums = Sums.none(len(seen.legal))
    for step in DRAWN:
        sums += Sums.from_data(worker.ask(STEP_LIMIT, seen, step))
    return {
        action_text(choice): [
            round(number, 4) for number in (*sums.value(at), sums.lead(taken, at).error)
        ]
        for at, choice in enumerate(seen.legal)
    }


def compared(daily: DailyDeal, deal: int, step: int, mine: Action, house: Action) -> str:
    """Return in words what two choices at a step were worth; empty until that is known.

    deal: from 0.
    """
    found = daily.worths[deal].get(str(step), {}) if deal < daily.valued else {}
    if not {action_text(mine), action_text(house)} <= found.keys():
        return ""
    value, error, gap = found[action_text(mine)]
    house_value, house_error, _ = found[action_text(house)]
    if value == house_value and not gap:
        return f"By what you could see both came to {wording.points(value)} points."
    text = (
        f"By what you could see: yours {wording.points(value)} ± {error:.2f} points,"
        f" the house’s {wording.points(house_value)} ± {house_error:.2f}."
    )
    return text if abs(value - house_value) > SURE * gap else f"{text} Too close to say."
