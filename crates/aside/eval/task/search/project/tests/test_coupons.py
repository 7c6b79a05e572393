from datetime import date

import pytest

from api.coupons import ExpiredCoupon, apply_coupon


def test_a_coupon_takes_something_off():
    assert apply_coupon(100, "CREW") == 75


def test_an_expired_coupon_is_refused():
    with pytest.raises(ExpiredCoupon):
        apply_coupon(100, "SPRING", today=date(2024, 6, 1))
