"""What directors do to an event: a class and a file for each act, their pages, log and undo."""
