"""Three plug-ins to copy: an encoder, a dataset, a comparison. `bideta help add-an-encoder` says the steps."""
