"""Players and who is behind a request: identity, names, house players, rate limits, bans."""
