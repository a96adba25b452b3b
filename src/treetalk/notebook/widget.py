"""The widget: a page in a cell, and the channel to the desk in the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

from treetalk.notebook.channel import Channel
from treetalk.notebook.room import Room
from treetalk.notebook.sources import loader

if TYPE_CHECKING:
    from treetalk.project import Project
    from treetalk.session import Session


class Talk(anywidget.AnyWidget):
    """A dialogue in a cell; `treetalk.notebook.talk` makes one.

    Parameters
    ----------
    project : Project
        What to talk about.
    is_own : bool
        Whether the project is closed with the dialogue.
    who : str, optional
        Who answers.
    height : int
        In pixels.
    """

    _esm = loader()
    height = traitlets.Int().tag(sync=True)
    who = traitlets.Unicode(None, allow_none=True).tag(sync=True)
    # What a notebook shows that was saved and is opened without a kernel.
    still = traitlets.Unicode().tag(sync=True)
    _room: Room | None = None

    def __init__(self, project: Project, *, is_own: bool, who: str | None, height: int) -> None:
        self._project = project
        still = project._repr_html_()  # before anything is sampled, so that it is the same each time
        self._room = Room.enter(project, is_own=is_own)
        super().__init__(height=height, who=who, still=still)
        self._channel = Channel(self._room, self._send_parts)
        self.on_msg(self._hear)

    @property
    def project(self) -> Project:
        """The project: for a session that has none, one that is kept in a temporary file as long as the session lives."""
        return self._project

    @property
    def session(self) -> Session:
        """The session that is talked about."""
        return self._project.session

    def close(self) -> None:
        """Stop sampling for this dialogue, and take it off the page. What was said stays."""
        room, self._room = self._room, None
        if room is not None:
            self._channel.close()
            room.leave()
        super().close()

    def _hear(self, widget: object, message: dict[str, Any], buffers: object) -> None:
        if self._room is not None:
            self._channel.hear(message)

    def _send_parts(self, message: dict[str, Any], buffers: Sequence[bytes]) -> None:
        if self._room is not None:
            self.send(message, list(buffers))

    def _repr_mimebundle_(self, **options: Any) -> Any:
        found = super()._repr_mimebundle_(**options)
        bundle = found[0] if isinstance(found, tuple) else found
        if bundle:
            # For readers that cannot show a widget.
            bundle["text/html"] = self.still
            bundle["text/plain"] = repr(self)
        return found

    def __repr__(self) -> str:
        return f"<treetalk.notebook.Talk about {self._project.num_items} items>"
