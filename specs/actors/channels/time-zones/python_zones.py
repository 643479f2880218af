"""Writes python_zones.txt: the changes of every zone's clock as Python computes them from its own copy of the IANA database.

Run it after an update of moment-timezone, with the package tzdata of the same release:

    python3 -m venv /tmp/zones && /tmp/zones/bin/pip install tzdata==2026.6
    /tmp/zones/bin/python specs/actors/channels/time-zones/python_zones.py
"""

import pathlib
import zoneinfo
from datetime import datetime, timedelta, timezone
from importlib import resources

import tzdata

FIRST, LAST = datetime(2024, 1, 1, tzinfo=timezone.utc), datetime(2050, 1, 1, tzinfo=timezone.utc)
# Shorter than any time between two changes.
STEP = 2 * 86400

# The package's own files, never those of this machine.
zoneinfo.reset_tzpath([])


def changes_of(name):
    """From when on (Unix seconds) the clock is how far ahead of UTC (seconds)."""
    zone = zoneinfo.ZoneInfo.no_cache(name)

    def ahead(at):
        return int((datetime.fromtimestamp(at, zone).utcoffset() or timedelta()).total_seconds())

    at, end = int(FIRST.timestamp()), int(LAST.timestamp())
    changes = [[at, ahead(at)]]
    while at < end:
        later = min(at + STEP, end)
        if ahead(later) != ahead(at):
            low, high = at, later
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if ahead(middle) == ahead(at) else (low, middle)
            changes.append([high, ahead(high)])
        at = later
    return changes


names = [line for line in resources.files(tzdata).joinpath("zones").read_text().split("\n") if line]
alike = {}
for name in sorted(names):
    alike.setdefault(" ".join(f"{at}:{ahead}" for at, ahead in changes_of(name)), []).append(name)
lines = [f"{','.join(zones)} {changes}\n" for changes, zones in alike.items()]
pathlib.Path(__file__).with_suffix(".txt").write_text(f"{tzdata.IANA_VERSION}\n" + "".join(lines))
