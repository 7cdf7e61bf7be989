"""Graphs that do not fit: read piece by piece from files, and kept as arrays that are mapped into memory."""
