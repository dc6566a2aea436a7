"""How the simulated twins' encoders were made: `python -m training twin-tvl --minutes 30 --out DIR`.

Frames are rendered while training, from random geometry only, without class labels; an interrupted run goes on
with ``--resume``. Not part of the installed package; needs the extras ``torch`` and ``plots``, and ``onnx`` with
``onnxscript`` for the export.
"""
