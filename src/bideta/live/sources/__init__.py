"""Where frames come from: a camera, a video, a folder of images, or the simulator. All yield RGB."""

from __future__ import annotations

from bideta.live.sources.folder import Folder
from bideta.live.sources.opencv import Camera, Video
from bideta.live.sources.recorded import Recorded
from bideta.live.sources.simulated import SIMULATED_RATE, Simulated
from bideta.live.sources.source import Pace, Picture, Source, SourceLostError

__all__ = [
    "SIMULATED_RATE",
    "Camera",
    "Folder",
    "Pace",
    "Picture",
    "Recorded",
    "Simulated",
    "Source",
    "SourceLostError",
    "Video",
]
