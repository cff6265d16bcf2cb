"""The library's tables and the statements over them: the database row is the truth, both indexes follow."""
