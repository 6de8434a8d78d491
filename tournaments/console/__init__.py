"""The pages of a director: the console, finding people, who is kept apart, check-in by code."""
