"""People and what they belong to."""
