"""Exact nearest neighbours by cosine (Eq. 6): how they are found fast, and the same whatever the rounding."""
