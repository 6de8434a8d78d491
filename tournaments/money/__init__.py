"""Entry money of an event: who wins what of it."""
