"""What schemathesis can't know: who the callers are, and which of the values it makes up really exist.

Callers take turns, so that the limits of one user don't end the run. Every other round they act on what they know
(world.mjs) instead of ids that nobody has ever seen, so that handlers are reached and not only "not found". What somebody
has made in this run they go on with themselves, by its own id: so links lead through whole lives of things.
"""

import collections
import itertools
import json
import os
import re
from pathlib import Path

import schemathesis
from schemathesis import GenerationMode
from schemathesis.generation.meta import TestPhase

WORLD = json.loads(Path(os.environ["LIVECORE_FUZZ_WORLD"]).read_text(encoding="utf-8"))
UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
turns = collections.defaultdict(itertools.count)
# Of the cases that go through every limit of an operation's schemas: the first ones, and then one of so many.
FIRST_LIMITS = 4
ONE_LIMIT_OF = int(os.environ["LIVECORE_FUZZ_ONE_LIMIT_OF"])
limits = collections.defaultdict(itertools.count)
current = {"facts": {}, "headers": {}}
# Who has made what, by its id.
made = {}


CURSOR = "#/components/parameters/BeforeItem"


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Addresses of just the longest length take 18 s each to make up. specs/api/channels/streams/my-stream.spec.ts goes to that limit.

    It doesn't read the properties of Unicode by which a text must show something. Here such texts begin with a character of
    ASCII; specs/api/contract/text.spec.ts goes through the others.

    Cursors come from pages, and one that is made up is refused (specs/api/contract/newest-first.spec.ts).
    """
    schemas = raw_schema["components"]["schemas"]
    for address in (schemas["NullableHttpsUrl"], schemas["StreamUpdate"]["properties"]["ingress_pull_url"]):
        del address["maxLength"]
    begin_with_ascii(raw_schema)
    for path in raw_schema["paths"].values():
        for operation in path.values():
            if "parameters" in operation:
                operation["parameters"] = [one for one in operation["parameters"] if one.get("$ref") != CURSOR]


def begin_with_ascii(schema):
    for value in schema.values() if isinstance(schema, dict) else schema:
        if isinstance(value, (dict, list)):
            begin_with_ascii(value)
    pattern = schema.get("pattern") if isinstance(schema, dict) else None
    if isinstance(pattern, str) and "\\p{" in pattern:
        schema["pattern"] = "^[!-~]" + pattern[pattern.rindex("[^") :]


@schemathesis.auth(refresh_interval=None)
class Caller:
    def get(self, case, ctx):
        label = case.operation.label
        own = WORLD["own"].get(label)
        callers = own or WORLD["everybody"]
        turn, place = divmod(next(turns[label if own else None]), len(callers))
        caller = maker_of(case) or callers[place]
        # What isn't taken leads nowhere.
        knows = is_walk(case) or turn % 2 == 0
        current["caller"] = caller
        current["facts"] = caller["facts"] if knows else {}
        current["headers"] = caller["headers"] if knows else {}
        return caller["token"]

    def set(self, case, data, ctx):
        case.headers = case.headers or {}
        key = WORLD["system_keys"].get(case.operation.label)
        if key is not None:
            case.headers["X-System-Key"] = key
        else:
            case.headers["Authorization"] = f"Bearer {data}"


def is_walk(case):
    return case.meta is not None and case.meta.phase.name == TestPhase.STATEFUL


def maker_of(case):
    ids = [value for value in (case.path_parameters or {}).values() if isinstance(value, str)]
    return next((made[value] for value in ids if value in made), None)


@schemathesis.hook
def after_call(context, case, response):
    if response.status_code != 201 or "application/json" not in str(response.headers.get("content-type")):
        return
    answer = response.json()
    for name in ("id", "uuid"):
        if isinstance(answer, dict) and isinstance(answer.get(name), str):
            made[answer[name]] = current["caller"]


@schemathesis.hook
def filter_case(context, case):
    if case.meta is None or case.meta.phase.name != TestPhase.COVERAGE:
        return True
    nth = next(limits[case.operation.label])
    return nth < FIRST_LIMITS or nth % ONE_LIMIT_OF == 0


@schemathesis.hook
def before_call(context, case, kwargs):
    # A value that is meant to be refused has to stay as it is; a well-formed id is never meant to be.
    is_good = case.meta is None or case.meta.generation.mode == GenerationMode.POSITIVE
    for place in (case.path_parameters, case.query, case.body):
        if not isinstance(place, dict):
            continue
        for name, known in current["facts"].items():
            if not isinstance(place.get(name), str) or place[name] in made:
                continue
            if is_good or UUID.fullmatch(place[name]):
                place[name] = known
    if is_good:
        case.headers.update(current["headers"])
        # For messages that nobody says here.
        if isinstance(case.query, dict) and case.query.get("wait"):
            case.query["wait"] = 1
