"""Lists of members and entries, taken in from spreadsheets after a preview."""
