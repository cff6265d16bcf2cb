"""Questions over HTTP."""
