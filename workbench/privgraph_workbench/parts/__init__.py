"""What several pages show or do."""
