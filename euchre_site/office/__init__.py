"""The staff pages: the state of the site, and actions on accounts, clubs and reports."""
