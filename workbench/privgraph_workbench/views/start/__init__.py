"""The Start page."""
