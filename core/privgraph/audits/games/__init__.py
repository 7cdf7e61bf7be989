"""Games: one mechanism each, played by the product's own code on a worst case, with and without the protected unit."""
