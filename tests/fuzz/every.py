"""All kinds of inputs, with the part of all inputs that each is: many of the quick ones, few of the slow
ones."""

from tests.fuzz import addresses, specs, stored, uploads
from tests.fuzz.kinds import Kind

KINDS = {
    kind.name: kind
    for kind in (
        Kind("uploads", 0.45, uploads.make, uploads.take),
        Kind("specs", 0.3, specs.make, specs.take),
        Kind("plans", 0.005, specs.make, specs.take_plan),
        Kind("stored", 0.045, stored.make, stored.take),
        Kind("addresses", 0.1995, addresses.make, addresses.take),
        Kind("pages", 0.0005, addresses.make, addresses.take_page),
    )
}
