"""What is prepared and checked before a process starts: data folder, keys, settings, database."""
