"""The page of notifications: choices, quiet hours and devices."""
