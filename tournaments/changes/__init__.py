"""One change of an event at a time, and everybody who watches is told of it."""
