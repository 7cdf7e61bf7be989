"""What the pages draw: one room a page, and the parts that pages share. They read the store, never train."""
