"""The short way to an event's page: a code to type on a phone."""
