"""Answers as streams of verified claims, with a language model or without."""
