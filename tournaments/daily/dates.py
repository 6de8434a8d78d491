"""Days and months in addresses: ``/daily/2026-11-25/``; another date is a 404."""

from datetime import date

from django.urls import register_converter


class DayConverter:
    regex = r"\d{4}-\d{2}-\d{2}"

    def to_python(self, value: str) -> date:
        return date.fromisoformat(value)

    def to_url(self, value: date) -> str:
        return value.isoformat()


class MonthConverter:
    """A month, as the date of its first day."""

    regex = r"\d{4}-\d{2}"

    def to_python(self, value: str) -> date:
        return date.fromisoformat(f"{value}-01")

    def to_url(self, value: date) -> str:
        return value.strftime("%Y-%m")


register_converter(DayConverter, "day")
register_converter(MonthConverter, "month")
