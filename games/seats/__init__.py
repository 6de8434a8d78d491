"""The lobby, and tables and their seats: creating, sitting down, seat requests, closing."""
