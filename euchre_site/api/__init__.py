"""The frame of the JSON API under `/api/`, and its documentation page."""
