"""The pages and verbs of clubs and events, by plain addresses and forms."""
