"""Who may enter an event, alone or with a partner, who waits for a place, and who leaves."""
