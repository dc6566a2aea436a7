"""Small trees in the layout of Bristol's TacTip releases."""

from __future__ import annotations

import csv

from PIL import Image

POSE = ("pose_x", "pose_z", "shear_x")


def write(root, sensor, task, part, labels, per_class=4):
    """A tree in the layout of the release."""
    home = root / sensor / task / part
    (home / "processed_images").mkdir(parents=True)
    with (home / "targets_images.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["sensor_image", "obj_id", *(["obj_lbl"] if labels != [""] else []), "pose_id", *POSE])
        number = 0
        for pose in range(per_class):  # labels come mixed
            for k, label in enumerate(labels):
                number += 1
                name = f"image_{number}.png"
                Image.new("L", (8, 8), 10 * k + pose).save(home / "processed_images" / name)
                table.writerow([name, k + 1, *([label] if label else []), pose, 0.5 * pose, k, -1.25])
    return home


def write_alphabet(root):
    """Two sensors that tapped the same three keys, each with its own split."""
    for sensor in ("ur_tactip_small", "sim_tactip"):
        for part in ("train", "val"):
            write(root, sensor, "alphabet", part, ["B", "A", "SPACE"])
    return root
