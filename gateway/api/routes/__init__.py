"""One HTTP resource a file; found by folder scan."""
