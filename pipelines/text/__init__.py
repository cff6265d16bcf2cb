"""Languages and search tokens, sentences, and the passage splitter."""
