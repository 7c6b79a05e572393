"""Passwords are kept as hashes only."""

import hashlib
import hmac

ROUNDS = 200_000


def hash_password(password, salt):
    return hashlib.pbkdf2_hmac("sha256", password.encode(), salt, ROUNDS)


def verify_password(user, password):
    _, _, stored = user
    return hmac.compare_digest(stored, hash_password(password, stored[:16]))
