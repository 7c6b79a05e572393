"""Orders for berths."""

from api import db
from api.coupons import apply_coupon
from api.dates import format_date
from api.mail import send_mail

PAGE_SIZE = 50


def list_orders(request):
    return 200, db.query("SELECT * FROM orders")


def list_orders_paged(request):
    offset = int(request.args.get("page", 0)) * PAGE_SIZE
    return 200, db.query("SELECT * FROM orders LIMIT ? OFFSET ?", PAGE_SIZE, offset)


def create_order(request):
    order = request.json
    total = order_total(order)
    db.query("INSERT INTO orders (berth, total) VALUES (?, ?)", order["berth"], total)
    send_mail(request.settings, request.user.email, "Your berth", format_date(order["from"]))
    return 201, {"total": total}


def order_total(order):
    # TODO: taxes differ between harbors
    nights = order["nights"]
    total = nights * price_per_night(order["length"])
    return apply_coupon(total, order.get("coupon"))


def price_per_night(length):
    return 12 + max(0, length - 6) * 2.5
