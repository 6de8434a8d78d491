"""What games add up to: records of players, two beside each other, clubs."""
