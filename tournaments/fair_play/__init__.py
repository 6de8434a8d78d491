"""Fair play: signs in finished games that a moderator may look into, and what is done then."""
