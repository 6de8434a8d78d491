"""The pages of a director: the console, the door, finding people, who is kept apart."""
