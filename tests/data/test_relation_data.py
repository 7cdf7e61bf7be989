"""Data of texts with relations: domains of areas, and the rule that invented purchases follow."""

from __future__ import annotations

import pytest

from privgraph.data.products import ProductOptions, families, products


@pytest.mark.parametrize("noise", [0.0, 0.3, 1.0])
def test_so_many_purchases_follow_no_rule_as_the_options_say(noise: float) -> None:
    shop = products(ProductOptions(products=2000, noise=noise))
    family = families(0)[shop.materials]
    one, other = shop.edges
    ruled = float(((shop.styles[one] == shop.styles[other]) & (family[one] == family[other])).mean())
    chance = 0.03  # of a purchase without a rule, to follow it nevertheless
    assert 1 - noise <= ruled + 1e-9
    assert ruled <= 1 - noise + chance * noise + 1e-9
