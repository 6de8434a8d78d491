"""Friends: the page of friends, and who of them is online."""
