"""Are the answers of two checkouts the same, how far does a reader walk, and is one faster than the other?

Nothing here imports the other benchmarks: it must run on the code of either checkout, whatever has moved in it.
"""
