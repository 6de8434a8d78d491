"""The pages that belong to no app, and how all pages look."""
