"""Composition of the assistant on a running gateway. `serving` is light; `assistant` loads the language libraries."""
