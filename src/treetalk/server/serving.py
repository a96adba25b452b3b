"""Listening: a socket on this machine, an address to open, and a calm end."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable, Iterable
from types import FrameType

import uvicorn

from treetalk.errors import TreetalkError
from treetalk.project import Project
from treetalk.server.admission import Admission
from treetalk.server.app import create_app
from treetalk.server.desk import Desk

LOCAL = "127.0.0.1"
DEFAULT_PORT = 8765
NUM_PORTS_TRIED = 20
SECONDS_TO_END = 3


class CannotListen(TreetalkError):
    """There is no way to listen on a port."""


class _Server(uvicorn.Server):
    """A server that tells pages that listen to let go when it is to stop; otherwise it would wait for them."""

    def __init__(self, config: uvicorn.Config, desk: Desk) -> None:
        super().__init__(config)
        self._desk = desk

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop, as a signal asks."""
        self._desk.let_go()
        super().handle_exit(sig, frame)


def serve(
    project: Project,
    *,
    host: str = LOCAL,
    port: int | None = None,
    token: str | None = None,
    allowed: Iterable[str] = (),
    ready: Callable[[str], None] = lambda address: None,
) -> None:
    """Serve a project until it is interrupted, and close it.

    Parameters
    ----------
    project : Project
        The project, open for writing.
    host : str
        The address to listen on.
    port : int, optional
        The port, 0 for any; by default 8765, or one of the next that is free.
    token : str, optional
        The token, in place of a random one.
    allowed : iterable of str
        Further names by which the server may be called.
    ready : callable
        Called with the address to open, once the server listens.
    """
    listening = listen(host, port)
    try:
        admission = Admission(project.path, token)
        desk = Desk(project)
        names = {"localhost", host, socket.gethostname(), *allowed}
        config = uvicorn.Config(
            create_app(desk, admission, names),
            log_level="warning",
            access_log=False,  # addresses may have the token in them
            server_header=False,
            lifespan="on",
            timeout_graceful_shutdown=SECONDS_TO_END,
        )
        number = listening.getsockname()[1]
        shown = LOCAL if host in {"0.0.0.0", "::", ""} else host
        called = f"[{shown}]" if ":" in shown else shown
        project.tell_holder(f"who serves it at http://{called}:{number}/")
        ready(f"http://{called}:{number}/?token={admission.token}")
        _Server(config, desk).run(sockets=[listening])
    finally:
        listening.close()
        project.close()


def listen(host: str, port: int | None) -> socket.socket:
    """Return a socket that listens: on a port, or on the first that is free from the usual one on."""
    tried = range(DEFAULT_PORT, DEFAULT_PORT + NUM_PORTS_TRIED) if port is None else [port]
    for number in tried:
        try:
            return _bound(host, number)
        except OSError as error:
            if error.errno != errno.EADDRINUSE or port is not None:
                raise CannotListen(_explained(error, host, number)) from error
    raise CannotListen(f"the ports {tried[0]} to {tried[-1]} are all in use; --port 0 takes any that is free")


def _bound(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    bound = socket.socket(family, kind, protocol)
    try:
        # A server that was just stopped leaves its port in a state in which it could not be used for a minute.
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen(128)
    except BaseException:
        bound.close()
        raise
    return bound


def _explained(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} is in use by another program; --port chooses another one"
    if error.errno == errno.EACCES:
        return f"port {port} may not be used; ports from 1024 on may"
    if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        return f"{host!r} is no address of this machine"
    return f"port {port} on {host} cannot be used: {error.strerror}"
