from api.orders import order_total, price_per_night


def test_long_boats_pay_more():
    assert price_per_night(10) > price_per_night(6)


def test_nights_are_counted(tmp_path):
    assert order_total({"nights": 2, "length": 6}) == 24
