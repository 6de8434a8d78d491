"""The office: what those who run the site see of it, and what they may do to accounts and clubs."""
