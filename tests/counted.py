"""What the site has counted, for tests that look whether it does."""

from games.sockets.metrics import registry


def value(name: str, **labels: str) -> float:
    """What is told under a name.

    Raises:
        LookupError: nothing is.
    """
    for metric in registry.restricted_registry([name]).collect():
        for sample in metric.samples:
            if sample.name == name and sample.labels == labels:
                return float(sample.value)
    raise LookupError(name, labels)
