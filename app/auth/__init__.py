"""Who is calling."""

PATH = "/auth/v1"
"""Of the identity server, below its project's address or ours."""
