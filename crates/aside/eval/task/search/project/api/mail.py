"""Mail to customers."""

import smtplib

from api.config import Settings

WELCOME = "Welcome to the harbor, {name}!"


def send_mail(settings: Settings, to, subject, body):
    if not settings.mail_host:
        return False
    with smtplib.SMTP(settings.mail_host) as server:
        server.sendmail("harbor@example.invalid", to, f"Subject: {subject}\n\n{body}")
    return True


def send_welcome(settings, user):
    # FIXME: names with umlauts arrive broken
    return send_mail(settings, user.email, "Welcome", WELCOME.format(name=user.name))
