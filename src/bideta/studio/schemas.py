"""The shapes of the API; FastAPI writes the OpenAPI description from them."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from bideta.images.batch_check import Level
from bideta.service.choices import Preset, Prior

TOP, MOST = 5, 1000  # identities that a ranking names, unless told and at most
SESSION = "3f2a9c0d5b6e47188f90a1b2c3d4e5f6"


class Strict(BaseModel):
    """A request: unknown fields are an error, not a surprise."""

    model_config = ConfigDict(extra="forbid")


class NewSession(Strict):
    """A sensor to adapt."""

    title: str = Field("", max_length=200, examples=["left finger, new gel"])


class SessionRef(BaseModel):
    """The session's id."""

    session: str = Field(examples=[SESSION])


class AdaptRequest(Strict):
    """Adapt to the session's labelled contacts."""

    session: str = Field(examples=[SESSION])
    preset: Preset | None = Field(None, description="kept from the last time if left out")
    prior: Prior | None = Field(
        None,
        description="auto: proportions are estimated from the batch; support: queries come in the support's; "
        "none: in any; mixed: half way between auto and support; if left out, the given preset's own, or kept from the "
        "last time",
    )


class Adapted(SessionRef):
    """An adapted sensor."""

    classes: list[str] = Field(examples=[["bolt", "coin", "key"]])
    labelled: int = Field(examples=[24])
    presses: int = Field(examples=[24], description="of the labelled contacts")
    unlabelled: int = Field(examples=[120])
    rejected: list[Rejected] = []


class Rejected(BaseModel):
    """A file that could not be used, and why."""

    name: str = Field(examples=["notes.txt"])
    error: str = Field(examples=["cannot read notes.txt: not a PNG, JPEG, BMP, TIFF, WEBP image"])


class PredictRequest(Strict):
    """Answer for the session's unlabelled contacts, or for readouts that come with the request."""

    session: str = Field(examples=[SESSION])
    readouts: list[list[list[float]]] | None = Field(
        None,
        min_length=1,
        description="one array of rows for each readout of the encoder, where the caller runs it",
        examples=[None],
    )


class RankRequest(PredictRequest):
    """The same, with the number of identities wanted."""

    top: int = Field(TOP, ge=1, le=MOST)


class Prediction(BaseModel):
    """The answer for one contact; ``proba`` is in the order of ``classes``."""

    id: str | None = Field(examples=["c3-0"])
    name: str = Field(examples=["press_012.png"])
    label: str = Field(examples=["bolt"])
    probability: float = Field(examples=[0.93])
    reliability: float | None = Field(
        examples=[0.88], description="null: too few presses are labelled to say, or the batch is foreign"
    )
    second_choice: str = Field(examples=["key"])
    reliability_lower: float | None = Field(
        examples=[0.79], description="what the reliability is at least, with a confidence of 90 %"
    )
    proba: list[float] = Field(examples=[[0.93, 0.02, 0.05]])


class Check(BaseModel):
    """Whether a batch comes from the sensor that was adapted, and is of objects that were enrolled."""

    level: Level = Field(description="unknown: it cannot be checked")
    kind: str = Field(examples=["bgr"], description="the reason as a word; empty where all is fine")
    warning: str = Field(examples=["these look like BGR: red and blue are exchanged. The answers are …"])


class Predictions(SessionRef):
    """Answers for a batch, joint over the batch."""

    classes: list[str] = Field(examples=[["bolt", "coin", "key"]])
    contacts: list[Prediction]
    check: Check
    no_reliability: str = Field(
        "",
        examples=[""],
        description="why no contact has a reliability (few labelled presses, foreign pictures); empty where some have",
    )
    rejected: list[Rejected] = []


class Ranking(BaseModel):
    """The most likely identities of one contact, best first."""

    id: str | None = Field(examples=["c3-0"])
    name: str = Field(examples=["press_012.png"])
    ranking: list[str] = Field(examples=[["bolt", "key", "coin"]])


class Rankings(SessionRef):
    """Rankings for a batch, joint over the batch."""

    contacts: list[Ranking]
    check: Check
    rejected: list[Rejected] = []


class LearnRequest(Strict):
    """Give a stored contact its label and adapt again."""

    session: str = Field(examples=[SESSION])
    contact: str = Field(examples=["c3-0"])
    label: str = Field(max_length=1000, examples=["bolt"])


class LabelChange(Strict):
    """A new label, or null to take it away."""

    label: str | None = Field(max_length=1000, examples=["bolt"])


class TitleChange(Strict):
    """A new title."""

    title: str = Field(min_length=1, max_length=200)


class Token(Strict):
    """The server's token."""

    token: str = Field(max_length=1000)


class ExampleRequest(Strict):
    """Which simulated sensor to open."""

    sensor: str = Field("Hex", max_length=40, examples=["Hex"])


class Stored(BaseModel):
    """What became of an upload."""

    added: list[ContactRow]
    rejected: list[Rejected]


class ContactRow(BaseModel):
    """A stored contact."""

    id: str = Field(examples=["c3-0"])
    name: str = Field(examples=["press_012.png"])
    label: str | None = Field(examples=["bolt"])
    truth: str | None = Field(examples=[None])
    press: str | None = Field(examples=["bolt/press 3"])


class Likely(BaseModel):
    """An object that a contact may be; without a probability before the first adaptation."""

    label: str = Field(examples=["bolt"])
    probability: float | None = Field(examples=[0.61])


class ToLabel(BaseModel):
    """A contact whose label would help."""

    id: str = Field(examples=["c3-0"])
    name: str = Field(examples=["press_012.png"])
    likely: list[Likely] = Field(description="at most nine, most likely first")


class Suggestions(BaseModel):
    """What to label next."""

    cold: bool = Field(description="nothing is labelled or adapted yet; the contacts stand for the others")
    contacts: list[ToLabel]


class SessionView(SessionRef):
    """A session's contacts and settings."""

    title: str
    encoder: str
    preset: str
    prior: str
    simulated: bool
    adapted: bool
    stale: bool = Field(description="labels changed since the last adaptation")
    measures: bool = Field(description="the session has quantities")
    bytes: int
    background: bool = Field(
        description="a picture of the untouched sensor is known; else the median of its contacts"
    )
    damaged: list[str] = Field(
        description="files of the session that cannot be read, and why; the others are good"
    )
    contacts: list[ContactRow]


class Problem(BaseModel):
    """Every error looks like this."""

    error: str = Field(examples=["there is no such session; it may have expired. Start a new one"])


PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": text}
    for status, text in {
        401: "the token is missing or wrong",
        403: "another page asked",
        404: "no such session or contact",
        408: "the request came too slowly",
        409: "not adapted yet, or made with another encoder",
        413: "too large",
        422: "the request does not make sense; the message says why",
        429: "busy: wait as long as Retry-After says",
        504: "not answered in time",
        507: "no room left, in the store or on the disk",
    }.items()
}
