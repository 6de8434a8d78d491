"""An event's next draw, its standings, who has won it, and who may rule on it."""
