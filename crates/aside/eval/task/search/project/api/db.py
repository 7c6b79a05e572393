"""The database: one connection, and what is asked of it."""

import sqlite3

from api.retry import with_retries

_connection = None


def connect(url):
    global _connection
    _connection = with_retries(lambda: sqlite3.connect(url))
    _connection.execute("PRAGMA journal_mode=WAL")


def query(sql, *values):
    return _connection.execute(sql, values).fetchall()


def find_user(email):
    rows = query("SELECT id, email, password_hash FROM users WHERE email = ?", email)
    return rows[0] if rows else None
