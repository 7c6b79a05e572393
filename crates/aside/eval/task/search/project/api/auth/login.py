"""Who somebody is."""

from api import db
from api.auth.passwords import verify_password
from api.auth.session import new_session

COOKIE_NAME = "harbor_session"


def login_user(request):
    user = db.find_user(request.form["email"])
    if user is None or not verify_password(user, request.form["password"]):
        return 401, {"error": "wrong name or password"}
    session_id = new_session(user)
    return 200, {"set-cookie": f"{COOKIE_NAME}={session_id}; HttpOnly; Secure"}


def logout_user(request):
    return 200, {"set-cookie": f"{COOKIE_NAME}=; Max-Age=0"}
