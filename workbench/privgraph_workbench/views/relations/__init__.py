"""The Relations page."""
