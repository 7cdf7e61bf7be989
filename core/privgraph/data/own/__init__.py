"""A graph of one's own: readers of many formats yield a table of nodes and one of edges, and nothing behind
knows which it was."""
