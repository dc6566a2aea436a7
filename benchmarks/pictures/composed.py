"""Folder of pictures → table of labels, as one would write it on a first afternoon: PIL, onnxruntime, scikit-learn.

``python -m benchmarks.pictures.composed SUPPORT QUERIES OUT --onnx FILE [--handmade]`` or ``--torch tvl``. One picture
after the other is decoded and resized, batches of 32 go through the network with the library's own settings, and
``benchmarks.method.composition`` answers with the settings of the preset ``classification``.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from benchmarks.method.composition import composition

BATCH = 32


def main(arguments: Sequence[str] | None = None) -> None:
    """Adapt to the class folders, label the queries, write the table."""
    parser = argparse.ArgumentParser(prog="composed", description=__doc__)
    parser.add_argument("support", type=Path)
    parser.add_argument("queries", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--onnx", type=Path)
    parser.add_argument("--side", type=int, default=224, help="pixels a side that the network takes")
    parser.add_argument("--mean", type=float, nargs=3, default=(0.0, 0.0, 0.0))
    parser.add_argument("--std", type=float, nargs=3, default=(1.0, 1.0, 1.0))
    parser.add_argument("--torch", help="an encoder with random weights, run by torch")
    parser.add_argument("--handmade", action="store_true", help="closed-form readouts beside the network's")
    given = parser.parse_args(arguments)
    network = torch_network(given.torch) if given.torch else session(given.onnx)

    def readouts(paths: list[Path]) -> tuple[Any, ...]:
        parts = []
        for start in range(0, len(paths), BATCH):
            pictures = [Image.open(path).convert("RGB") for path in paths[start : start + BATCH]]
            resized = [
                np.asarray(picture.resize((given.side, given.side), Image.BICUBIC)) for picture in pictures
            ]
            batch = ((np.stack(resized) / 255 - given.mean) / given.std).astype(np.float32)
            deep = network(np.ascontiguousarray(batch.transpose(0, 3, 1, 2)))
            parts.append([*(closed_form(pictures) if given.handmade else ()), *deep])
        return tuple(np.concatenate(readout) for readout in zip(*parts, strict=True))

    labelled = sorted(given.support.glob("*/*.jpg"))
    classes, y = np.unique([path.parent.name for path in labelled], return_inverse=True)
    queries = sorted(given.queries.glob("*.jpg"))
    proba, _ = composition(readouts(labelled), y, readouts(queries), k=min(40, len(queries) - 1))
    with given.out.open("w", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(["path", "label", "probability"])
        for path, row in zip(queries, proba, strict=True):
            table.writerow([path.name, classes[row.argmax()], f"{row.max():.4f}"])


def session(path: Path) -> Callable[[Any], Any]:
    """The network in an ONNX file, run by onnxruntime as it comes."""
    import onnxruntime

    opened = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    (frames,) = opened.get_inputs()
    return lambda batch: opened.run(None, {frames.name: batch})


def torch_network(name: str) -> Callable[[Any], Any]:
    """The network of an encoder that torch runs, as torch runs it."""
    import torch

    from bideta.plugins import load_encoder

    network = load_encoder(name, random_weights=True, device="cpu").network

    @torch.inference_mode()
    def run(batch: Any) -> Any:
        return [readout.numpy() for readout in network(torch.from_numpy(batch))]

    return run


def closed_form(pictures: Sequence[Image.Image]) -> list[Any]:
    """The encoder ``handmade``, picture by picture; no library has it."""
    from bideta.encoders.handmade import SIZE, readouts

    small = [np.asarray(picture.resize((SIZE, SIZE), Image.BICUBIC)) for picture in pictures]
    rows = [readouts((one / np.float32(255)).transpose(2, 0, 1)) for one in small]
    return [np.stack(readout) for readout in zip(*rows, strict=True)]


if __name__ == "__main__":
    main()
