"""Django's PostgreSQL backend with a pool that recovers from server restarts at once."""
