"""Keys that other programs call the service with."""
