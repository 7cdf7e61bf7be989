"""One report of settings: a table, figures, statements, methods and references as HTML, PDF and files."""
