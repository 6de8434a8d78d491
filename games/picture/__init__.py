"""A table as a page: what is shown to whom and in which words, for page, socket and replay."""
