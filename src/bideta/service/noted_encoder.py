"""The encoder that a sensor's file names. A file says what changes numbers; what is opened, fetched or started is said
by the person at the keyboard: paths, ``weights``, ``download``, ``threads``, ``device``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bideta.artifact import ArtifactError
from bideta.encoders import EncoderInfo
from bideta.images.reading import shown
from bideta.plugins import find, split

LONGEST = 500  # characters of an encoder's name
HARMLESS = ("threads", "device", "progress", "download")  # they do not change numbers and are not missed


@dataclass(frozen=True)
class NotedEncoder:
    """What a file says about its encoder."""

    name: str
    settings: Mapping[str, Any]
    fingerprint: str

    def usable_name(self, path: Path) -> str:
        """The name, where it does not decide which file is opened."""
        for part in split("encoder", self.name):
            family = opens_a_file(part)
            if family:
                raise ArtifactError(
                    f"{shown(path)} was adapted with the encoder {self.name!r} (fingerprint {self.fingerprint[:12]}). "
                    f"A sensor's file does not decide which other file is opened: type where it is here, with "
                    f"--encoder {self.name.replace(part, f'{family}:FILE') if self.name.isprintable() else family}"
                )
        return self.name

    def decisive(self, name: str) -> dict[str, Any]:
        """Its settings that change numbers, for the encoder ``name``."""
        return {setting: self.settings[setting] for setting in self.settings if _decides(name, setting)}

    def missed(self, name: str, typed: Mapping[str, Any]) -> str:
        """A hint, where it notes a setting that only a person may type and nobody did."""
        for setting, value in self.settings.items():
            plain = setting.rpartition(".")[2]
            if plain not in HARMLESS and setting not in typed and not _decides(name, setting):
                noted = json.dumps(f"{setting}={value}")[:LONGEST]  # quotes and escapes: safe to print
                return f" (the file notes {noted}; it does not decide that, you do: --set NAME=VALUE)"
        return ""


def noted_encoder(path: Path, origin: Mapping[str, Any]) -> NotedEncoder | None:
    """What the origin of a sensor says; None where it does not say it."""
    if "fingerprint" not in origin:
        return None
    name, settings, mark = (origin.get(key) for key in ("encoder", "settings", "fingerprint"))
    if not (isinstance(name, str) and isinstance(settings, dict) and isinstance(mark, str)):
        raise ArtifactError(f"{shown(path)} does not name its encoder as bideta adapt does; adapt again")
    if len(name) > LONGEST:
        raise ArtifactError(
            f"{shown(path)} names an encoder of {len(name)} characters, at most {LONGEST} are expected; adapt again"
        )
    return NotedEncoder(name, settings, mark)


def opens_a_file(part: str) -> str:
    """What stands before the file in the name of an encoder ("onnx", "difference:onnx"); "" where it names none."""
    family, colon, rest = part.partition(":")
    info: EncoderInfo = find("encoder", family).INFO
    kind = info.family if colon and rest not in info.variants else "model"
    if kind == "encoder":  # difference:handmade
        inner = opens_a_file(rest)
        return inner and f"{family}:{inner}"
    return "" if kind == "model" else family


def _decides(name: str, setting: str) -> bool:
    info: EncoderInfo = find("encoder", name).INFO
    return setting.rpartition(".")[2] in info.decisive
