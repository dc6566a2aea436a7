"""Frames → readouts: one preprocessing, then the network, run by torch or by onnxruntime."""
