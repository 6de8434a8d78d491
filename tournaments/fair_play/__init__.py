"""Fair play: signs in finished games, and the matters that moderators open from them."""
