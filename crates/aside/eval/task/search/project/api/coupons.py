"""Coupons: what they take off, and until when."""

from datetime import date

COUPONS = {"SPRING": (0.1, date(2024, 5, 31)), "CREW": (0.25, None)}


class ExpiredCoupon(Exception):
    pass


def apply_coupon(total, code, today=None):
    if code is None:
        return total
    discount, until = COUPONS[code]
    if until is not None and (today or date.today()) > until:
        raise ExpiredCoupon(code)
    return total * (1 - discount)
