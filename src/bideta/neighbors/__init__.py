"""The exact search of Eq. 6: the k nearest other queries by cosine, the same whatever the rounding.

- ``search.nearest`` chooses the way by the size of the batch and by the settings of ``Bideta``;
- ``in_memory`` keeps the similarities of a batch (upper triangle, up to 8,192 queries in float32);
- ``blocked`` lets blocks of them come and go, in memory O(mk);
- ``ties`` decides close calls;
- ``with_labelled`` serves small batches beside labelled contacts whose own neighbours are known;
- ``engines``: several workers, and an approximate index.
"""
