"""Who plays tonight: those whom directors enter, and what becomes of their places."""
