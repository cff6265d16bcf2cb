"""Accounts: signing up, logging in and out, and the mails and providers that lead there."""
