"""Manuals and procedures: read, split, stored, searched by words and by meaning, quoted with document and page."""
