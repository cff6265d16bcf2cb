"""Measures the knowledge base: as a library and as a running service."""
