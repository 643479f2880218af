"""A chat bot by requests alone, with nothing but Python: it answers `!hello`. examples/README.md says what it needs."""

import http.client
import itertools
import json
import os
import random
import time
import urllib.error
import urllib.parse
import urllib.request

URL = os.environ.get("LIVECORE_URL", "http://localhost:8080") + "/v1/bot/messages"
TOKEN = os.environ["LIVECORE_TOKEN"]
CHANNEL = os.environ["CHANNEL"]


def request(query=None, body=None, tries=None):
    """
    Returns the answer's JSON. Waits and repeats while the service asks for that (429), has an error (5xx), or can't be reached,
    as while a worker is replaced: reading changes nothing, and a message has a nonce. Without `tries` it never gives up.
    """
    address = URL if query is None else f"{URL}?{urllib.parse.urlencode(query)}"
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    for tried in itertools.count(1):
        wait = min(2**tried, 30) * random.uniform(0.25, 0.5)
        try:
            call = urllib.request.Request(address, data, headers)
            with urllib.request.urlopen(call, timeout=40) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refusal:
            if (refusal.code != 429 and refusal.code < 500) or tried == tries:
                raise
            after = refusal.headers.get("Retry-After", "")
            wait = max(wait, int(after) if after.isdecimal() else 0)
        except (OSError, http.client.HTTPException):
            if tried == tries:
                raise
        time.sleep(wait)


def say(text, reply_to):
    # Repeats with the same nonce are one message, also after a lost answer.
    body = {"channel": CHANNEL, "message": text, "reply_to_id": reply_to, "nonce": reply_to}
    try:
        request(body=body, tries=5)
    except urllib.error.HTTPError as refusal:
        # Such as a mode of the room: no reason to end.
        print(refusal.code, refusal.read().decode(), flush=True)
    except (OSError, http.client.HTTPException) as failure:
        print(failure, flush=True)


# Without a cursor reading begins now; each answer's cursor continues without gaps or repeats.
try:
    cursor = request({"channel": CHANNEL})["cursor"]
except urllib.error.HTTPError as refusal:
    # Such as a scope that the token lacks, which the body names.
    raise SystemExit(f"{refusal.code} {refusal.read().decode()}") from None
print(f"In the room of {CHANNEL}.", flush=True)
while True:
    page = request({"channel": CHANNEL, "after": cursor, "wait": 25})
    cursor = page["cursor"]
    for message in page["items"]:
        # Never answer programs, this one included: two bots would answer each other without end.
        if "bot" not in message["badges"] and message["content"].strip().lower() == "!hello":
            say(f"Hello, {message['username']}!", message["uuid"])
