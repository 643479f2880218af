"""What schemathesis can't know: who the callers are, and which of the ids it makes up really exist.

Callers take turns, so that the limits of one user don't end the run. Every other request acts on things of its
caller's own channel instead of ids that nobody has ever seen, so that handlers are reached and not only "not found".
"""

import itertools
import json
import os

import schemathesis

WORLD = json.load(open(os.environ["LIVECORE_FUZZ_WORLD"], encoding="utf-8"))
USERS = WORLD["users"]
turn = itertools.count()
current = {"user": USERS[0], "own": False}


@schemathesis.auth(refresh_interval=None)
class Caller:
    def get(self, case, ctx):
        number = next(turn)
        current["user"] = USERS[number % len(USERS)]
        current["own"] = number % 2 == 0
        return current["user"]["token"]

    def set(self, case, data, ctx):
        case.headers = case.headers or {}
        if "/webhooks/" in case.path:
            case.headers["X-System-Key"] = WORLD["system_key"]
        else:
            case.headers["Authorization"] = f"Bearer {data}"


@schemathesis.hook
def before_call(context, case, kwargs):
    if not current["own"]:
        return
    user = current["user"]
    for place in (case.path_parameters, case.body):
        if not isinstance(place, dict):
            continue
        for name, known in user["ids"].items():
            # Only what has the right form: a malformed id is a question of its own.
            if isinstance(place.get(name), str) and len(place[name]) == 36:
                place[name] = known
