"""The app as a server: what starts it, who may come in, what surrounds every page, files to hand out."""
