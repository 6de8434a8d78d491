"""What has been played, what it counts for, who leads, who has won, and what is drawn next."""
