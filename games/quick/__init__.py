"""Quick games: one press seats a person, with other people if there are any, else the house."""
