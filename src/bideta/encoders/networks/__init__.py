"""The vision transformers in torch: the released ones (TVL, Sparsh) and the embedded ones (the twins)."""

NORM_EPSILON = 1e-6  # of LayerNorm, in timm's and in Sparsh's ViT and in the twins
POSITION_BASE = 10000.0  # longest wavelength of the sin/cos positions, in Sparsh and in the twins
