"""The service: starts the server and knows every route."""

from api import db, orders
from api.auth.login import login_user, logout_user
from api.config import Settings

ROUTES = {
    "/v1/orders": orders.list_orders,
    "/v1/orders/new": orders.create_order,
    "/v2/orders": orders.list_orders_paged,
    "/login": login_user,
    "/logout": logout_user,
}


def handle(request):
    handler = ROUTES.get(request.path)
    if handler is None:
        return not_found(request)
    return handler(request)


def not_found(request):
    return 404, {"error": "no such page: " + request.path}


def main():
    settings = Settings.load("deploy/harbor.toml")
    db.connect(settings.database_url)
    serve(handle, port=settings.port)


if __name__ == "__main__":
    main()
