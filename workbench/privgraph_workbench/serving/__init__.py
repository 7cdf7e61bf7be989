"""The app as a server: what starts it, who may come in, what surrounds every page, files that it hands
out."""
