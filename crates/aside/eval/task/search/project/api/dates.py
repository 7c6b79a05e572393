"""Dates as customers read them."""

MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


def format_date(day):
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def parse_date(text):
    day, month, year = text.split()
    # The time zone is lost here: what is stored has none.
    return int(year), MONTHS.index(month) + 1, int(day)
