from api.config import Settings
from api.mail import send_mail


def test_no_host_no_mail():
    assert send_mail(Settings({}), "a@example.invalid", "Hi", "there") is False
