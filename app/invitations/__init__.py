"""Invitations: who may join an organization, by a token in a mail."""
