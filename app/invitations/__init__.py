"""Invitations into organizations, by mail."""
