"""Pages that mails lead to, and one for developers."""
