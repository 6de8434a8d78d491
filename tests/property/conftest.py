"""Property tests repeat exactly; ``BOWER_THOROUGH=1`` makes them twenty times longer."""

from hypothesis import HealthCheck, settings

from tests.property.volume import SCALE

settings.register_profile(
    "bower",
    max_examples=200 * SCALE,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("bower")
