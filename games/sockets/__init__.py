"""How word gets round: from threads to the loop, between processes, and to every open page."""
