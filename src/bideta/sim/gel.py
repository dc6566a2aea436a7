"""The pressed gel: contact, curvature, tilt, and a three-level relaxation of the surroundings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import ndimage

from bideta.sim.design import SensorDesign
from bideta.sim.pressing import Contacts
from bideta.sim.shapes import Array
from bideta.sim.view import View

BLUR_REACH = 2.5  # standard deviations kept of every Gaussian: what is cut is under 2 % of its mass


@dataclass(frozen=True)
class Surface:
    """The pressed gel of a batch; arrays are (N, size, size)."""

    indentation: Array  # mm, towards the camera
    clearance: Array  # mm, at least 0, from the skin to the object where they do not touch


def press(contacts: Contacts, sensor: SensorDesign, view: View) -> Surface:
    """The gel's surface under each contact."""
    overlap = overlap_of(contacts, sensor, view)
    clearance = np.maximum(-overlap, 0)
    touched = np.maximum(overlap, 0, out=overlap)
    # A gel of finite thickness gives way less the deeper it is pressed.
    touched /= 1 + touched * np.float32(0.5 / sensor.gel_thickness)
    return Surface(relax(touched, sensor, view.pixel), clearance)


def overlap_of(contacts: Contacts, sensor: SensorDesign, view: View) -> Array:
    """Object surface above the untouched gel in mm, negative where they do not meet, (N, size, size)."""
    angle = np.deg2rad(contacts.angle)[:, None, None]
    cos, sin = np.cos(angle), np.sin(angle)
    gx, gy = view.gel_x - contacts.x[:, None, None], view.gel_y - contacts.y[:, None, None]
    u, v = gx * cos + gy * sin, gy * cos - gx * sin
    height = np.empty_like(u)
    for index in np.unique(contacts.object):
        rows = np.flatnonzero(contacts.object == index)
        chosen = slice(rows[0], rows[-1] + 1) if rows[-1] - rows[0] + 1 == len(rows) else rows
        height[chosen] = contacts.geometries[index].height(u[chosen], v[chosen])
    height += contacts.depth[:, None, None]
    gx *= np.tan(np.deg2rad(contacts.tilt_x))[:, None, None]
    gy *= np.tan(np.deg2rad(contacts.tilt_y))[:, None, None]
    height += gx
    height += gy
    return height - dome(sensor, view)


def dome(sensor: SensorDesign, view: View) -> Array:
    """How far the curved gel lies under its middle, in mm, (size, size)."""
    return (view.x**2 + view.y**2) * np.float32(0.5 / sensor.dome_radius)


def relax(touched: Array, sensor: SensorDesign, pixel: tuple[float, float]) -> Array:
    """Indentation in mm of the stiff gel: far, middle and near surroundings, coarse to fine.

    At every level the gel is at least where the object holds it; between contacts it sags from the level
    above. Levels of a quarter and a half resolution make the far blur cheap.
    """
    half = shrink(touched)
    quarter = shrink(half)
    reach_y, reach_x = sensor.gel_reach / pixel[1], sensor.gel_reach / pixel[0]
    coat_y, coat_x = sensor.coat_blur / pixel[1], sensor.coat_blur / pixel[0]
    far = blur(quarter, reach_y / 4, reach_x / 4)
    middle = blur(np.maximum(enlarge(far, half.shape), half), reach_y / 4, reach_x / 4)
    near = np.maximum(enlarge(middle, touched.shape), touched)
    return blur(near, coat_y, coat_x)


def shrink(field: Array) -> Array:
    """Half the resolution by averaging 2 × 2 blocks; an odd last row or column is dropped."""
    h, w = field.shape[-2] // 2 * 2, field.shape[-1] // 2 * 2
    even = field[..., :h, :w]
    rows = even[..., 0::2, :] + even[..., 1::2, :]
    return (rows[..., 0::2] + rows[..., 1::2]) * np.float32(0.25)


def enlarge(field: Array, shape: tuple[int, ...]) -> Array:
    """Twice the resolution, linear between block centres, constant beyond them, cropped or padded to ``shape``."""
    for axis in (-2, -1):
        f = np.moveaxis(field, axis, 0)
        before = np.concatenate([f[:1], f[:-1]])
        after = np.concatenate([f[1:], f[-1:]])
        out = np.empty((shape[axis], *f.shape[1:]), np.float32)
        n = len(f)
        out[0 : 2 * n : 2] = f * np.float32(0.75) + before * np.float32(0.25)
        out[1 : 2 * n : 2] = f * np.float32(0.75) + after * np.float32(0.25)
        out[2 * n :] = f[-1:]
        field = np.moveaxis(out, 0, axis)
    return np.ascontiguousarray(field)


def blur(field: Array, sigma_y: float, sigma_x: float) -> Array:
    """Gaussian blur of the last two axes, standard deviations in pixels."""
    sigma = (0.0,) * (field.ndim - 2) + (sigma_y, sigma_x)
    return np.asarray(ndimage.gaussian_filter(field, sigma, mode="nearest", truncate=BLUR_REACH), np.float32)
