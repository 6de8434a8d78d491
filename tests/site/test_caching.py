"""The cache continues in memory while Redis is unavailable."""

from collections.abc import Iterator

import pytest
from django.core.cache import cache
from django.core.cache.backends.redis import RedisCache
from django.test import Client
from pytest_django.fixtures import Settings

from euchre_site.caching import RedisOrMemoryCache
from tests import factories
from tests.served import free_port


@pytest.fixture
def _no_redis(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The cache of a site whose Redis does not answer."""
    monkeypatch.setattr(RedisOrMemoryCache, "away_until", 0.0)
    backend = {"BACKEND": "euchre_site.caching.RedisOrMemoryCache"}
    where = {"LOCATION": f"redis://127.0.0.1:{free_port()}/0"}
    settings.CACHES = {"default": backend | where}
    yield
    cache.clear()


@pytest.mark.usefixtures("_no_redis")
class TestWithoutRedis:
    def test_values_are_cached_in_memory(self) -> None:
        cache.set("a", 1)
        assert (cache.get("a"), cache.incr("a"), cache.add("a", 5)) == (1, 2, False)
        cache.set_many({"b": 2, "c": 3})
        assert cache.get_many(["b", "c", "d"]) == {"b": 2, "c": 3}
        cache.delete_many(["b"])
        assert (cache.has_key("b"), cache.touch("c"), cache.delete("c")) == (False, True, True)

    def test_redis_is_not_retried_for_each_request(self, monkeypatch: pytest.MonkeyPatch) -> None:
        asked = []
        redis = RedisCache.get

        def get(self: RedisCache, *args: object, **named: object) -> object:
            asked.append(args)
            return redis(self, *args, **named)  # type: ignore[arg-type]

        monkeypatch.setattr(RedisCache, "get", get)
        for _ in range(5):
            cache.get("a")
        assert len(asked) == 1

    @pytest.mark.django_db
    def test_people_sign_up_log_in_and_play(self) -> None:
        factories.member("Maeve")
        new = {"email": "ben@example.com", "password1": factories.PASSWORD, "name": "Ben"}
        assert Client().post("/accounts/signup/", new).status_code == 302
        known = {"login": "maeve@example.com", "password": factories.PASSWORD}
        assert Client().post("/accounts/login/", known).status_code == 302
        assert Client().post("/play/now/", {"rules": "classic-24"}).status_code == 303
        answer = Client().get("/api/clubs")
        assert answer.status_code == 200
        assert answer["RateLimit"]

    @pytest.mark.django_db
    def test_rate_limits_still_count(self, settings: Settings) -> None:
        settings.TABLES_IN_TEN_MINUTES = 2
        play = [Client().post("/play/now/", {"rules": "classic-24"}) for _ in range(3)]
        assert [one.status_code for one in play] == [303, 303, 429]


@pytest.mark.redis
def test_redis_is_used_again_once_it_is_back(
    redis_url: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.CACHES = {
        "default": {
            "BACKEND": "euchre_site.caching.RedisOrMemoryCache",
            "LOCATION": redis_url,
            "KEY_PREFIX": "caching",
        }
    }
    clock = [1000.0]
    monkeypatch.setattr("euchre_site.caching.time.monotonic", lambda: clock[0])
    monkeypatch.setattr(RedisOrMemoryCache, "away_until", 1003.0)
    cache.set("where", "memory")
    clock[0] = 1003.0
    assert cache.get("where") is None
    cache.set("where", "Redis")
    assert cache.get("where") == "Redis"
    cache.clear()
