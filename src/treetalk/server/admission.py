"""Who may come in: a token for each start, and a cookie for browsers that have shown it, which outlasts a restart."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import sys
import time
from pathlib import Path

NUM_BYTES = 32
FEWEST_CHARACTERS = 16
SECONDS_KNOWN = 30 * 24 * 3600


class Admission:
    """Tells whether somebody may come in.

    The token is new with every start, as in Jupyter; or it is given. A browser that has shown it gets a cookie, signed with
    a secret that stays in a file of the user: so a page that is open goes on when the server is started again. Whoever
    deletes that file sends all of them away.

    Parameters
    ----------
    path : Path
        The project: a cookie is good for one of them.
    token : str, optional
        The token, in place of a random one.
    """

    def __init__(self, path: Path, token: str | None = None) -> None:
        if token and len(token) < FEWEST_CHARACTERS:
            raise ValueError(f"a token has at least {FEWEST_CHARACTERS} characters, so that it cannot be guessed")
        self.token = token or secrets.token_urlsafe(24)
        self._name, self._secret = os.fsencode(path), _secret()
        self.cookie_name = f"treetalk-{hashlib.sha256(self._name).hexdigest()[:12]}"

    def knows_token(self, token: str | None) -> bool:
        """Return whether this is the token."""
        return token is not None and hmac.compare_digest(token.encode(), self.token.encode())

    def new_cookie(self) -> str:
        """Return a cookie for somebody who has shown the token, good for a month."""
        until = str(int(time.time()) + SECONDS_KNOWN)
        return f"{until}.{self._signed(until)}"

    def knows_cookie(self, cookie: str | None) -> bool:
        """Return whether this is the cookie of somebody who has shown the token, not too long ago."""
        until, _, signed = (cookie or "").partition(".")
        if not (until.isascii() and until.isdecimal() and int(until) > time.time()):
            return False
        return hmac.compare_digest(signed.encode(), self._signed(until).encode())

    def _signed(self, until: str) -> str:
        return hmac.new(self._secret, self._name + b"\0" + until.encode(), hashlib.sha256).hexdigest()


def _secret() -> bytes:
    """Return the user's secret, made if there is none; one for this start only where it cannot be kept."""
    try:
        folder = _user_state() / "treetalk"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = folder / "cookie-secret"
        found = _read(path)
        if found is None:
            # Complete before it has its name, so that another start never reads half of it; the first one to come stays.
            draft = folder / f".cookie-secret-{secrets.token_hex(8)}"
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(secrets.token_bytes(NUM_BYTES))
            try:
                os.link(draft, path)
            except FileExistsError:
                if _read(path) is None:  # of no use
                    draft.replace(path)
            except OSError:  # a file system without links
                draft.replace(path)
            draft.unlink(missing_ok=True)
            found = _read(path)
    except (OSError, RuntimeError):  # RuntimeError: a user without a home, as in some containers
        found = None
    return secrets.token_bytes(NUM_BYTES) if found is None else found


def _read(path: Path) -> bytes | None:
    try:
        found = path.read_bytes()
    except FileNotFoundError:
        return None
    is_private = os.name != "posix" or path.stat().st_mode & 0o077 == 0
    return found if len(found) == NUM_BYTES and is_private else None


def _user_state() -> Path:
    """Return the folder for what programs keep for a user."""
    given = os.environ.get("XDG_STATE_HOME", "")
    if given:
        return Path(given)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return Path.home() / ".local" / "state"
