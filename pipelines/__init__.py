"""A knowledge base as a library, on LlamaIndex."""
