"""Command line: train, export and check one encoder."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import torch

from training.checkpoint import write_json
from training.export import export
from training.loop import train
from training.recipes import RECIPES


def main() -> None:
    """`python -m training twin-tvl --minutes 30 --out DIR [--resume]`."""
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument("encoder", choices=sorted(RECIPES))
    parser.add_argument(
        "--out", type=Path, required=True, help="folder of checkpoints, curve and exported files"
    )
    parser.add_argument(
        "--minutes", type=float, default=30.0, help="wall-clock budget; the schedule ends with it"
    )
    parser.add_argument("--steps", type=int, help="number of steps instead of minutes: repeatable exactly")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    options = parser.parse_args()

    torch.set_num_threads(options.threads)
    recipe = RECIPES[options.encoder]
    encoder, state = train(
        recipe,
        options.out,
        seed=options.seed,
        minutes=options.minutes,
        steps=options.steps,
        resume=options.resume,
    )
    difference = export(encoder, recipe.name, options.out)
    last = state["history"][-1] if state["history"] else None
    record = {
        "encoder": recipe.name,
        "sensors": [sensor.name for sensor in recipe.sensors],
        "seed": state["seed"],
        "steps": state["step"],
        "frames": state["step"] * recipe.pairs * 2,
        "wall_seconds": round(state["wall"]),
        "cpu_seconds": round(state["cpu"]),
        "loss": last,
        "probe": state["probes"],
        "torch_onnx_difference": difference,
    }
    write_json(options.out / f"{recipe.name}.json", record)
    print(json.dumps(record, indent=1))


if __name__ == "__main__":
    main()
