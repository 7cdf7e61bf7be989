"""Forms made from options."""
