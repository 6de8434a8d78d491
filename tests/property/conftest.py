"""Property tests repeat exactly; how many examples they try is said in `tests.volume`."""

from hypothesis import HealthCheck, settings

from tests.volume import scaled

settings.register_profile(
    "bower",
    max_examples=scaled(200),
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("bower")
