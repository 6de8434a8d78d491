"""The formats of an event: pure functions from entrants and what was played to the next round.

`tournaments.results.draws` asks the format of an event for its next round; who sits out stands in
`sitting_out`. What else a new format touches is listed in `docs/events.md`.
"""
