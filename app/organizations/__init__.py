"""The organizations that share the service."""
