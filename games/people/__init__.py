"""Who is asking: the player of a session, names, house players, and what one address may do."""
