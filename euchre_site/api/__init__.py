"""The JSON API of both apps under `/api/`, and its documentation page."""
