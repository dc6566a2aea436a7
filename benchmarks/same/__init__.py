"""Are the answers of two checkouts the same, how far does a reader walk, and is one faster than the other?"""
