"""How much an organization, a client address and an e-mail address may ask for."""
