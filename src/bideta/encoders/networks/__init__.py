"""The vision transformers in torch: the released ones (TVL, Sparsh) and the embedded ones (the twins)."""
