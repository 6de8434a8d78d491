"""Who sits where: the lobby, making a table, sitting down, asking for a seat, closing."""
