"""Tuning with its price: options, or an epsilon, are chosen by trials on private data, and the choice is paid
for. No torch."""
