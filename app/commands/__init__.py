"""What `kb` does: a module for each command. `app.cli` imports them when they are called, so that help is instant."""
