"""What belongs to the people: taking all data about oneself away, and deleting one's account."""
