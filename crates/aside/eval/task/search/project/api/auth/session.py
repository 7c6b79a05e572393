"""Sessions of people who are logged in."""

import secrets

SESSION_HOURS = 12
_sessions = {}


def new_session(user):
    session_id = secrets.token_urlsafe(32)
    _sessions[session_id] = user
    return session_id


def user_of(session_id):
    return _sessions.get(session_id)
