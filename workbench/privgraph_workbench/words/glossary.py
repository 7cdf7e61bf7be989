"""What δ is, wherever it is said."""

ADDED = "what is added to the bound eᵋ: for any set of results, P ≤ eᵋ · P′ + δ"
