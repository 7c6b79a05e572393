"""Settings of the service, from a file and the environment."""

import os
import tomllib

DEFAULT_PORT = 8080
DEFAULT_TIMEOUT = 30


class Settings:
    def __init__(self, values):
        self.port = int(values.get("port", DEFAULT_PORT))
        self.timeout = values.get("timeout", DEFAULT_TIMEOUT)
        self.database_url = os.environ.get("DATABASE_URL", values.get("database_url"))
        self.mail_host = os.environ.get("MAIL_HOST")

    @classmethod
    def load(cls, path):
        with open(path, "rb") as file:
            return cls(parse_config(file.read()))


def parse_config(text):
    """Bytes of TOML become a flat table."""
    table = tomllib.loads(text.decode())
    return {**table.get("server", {}), **table.get("database", {})}
