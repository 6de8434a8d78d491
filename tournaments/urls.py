"""The addresses of clubs and events."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
