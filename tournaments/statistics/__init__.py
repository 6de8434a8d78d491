"""Statistics: players' records, head-to-head comparisons, and clubs."""
