"""Who may reach which club and which event: every page and socket asks here first."""
