"""Doorcode with nothing but Python's standard library."""

import base64
import hashlib
import hmac
import http.client
import json
import os
import re
import time
import urllib.error
import urllib.request
import uuid

TIMEOUT_SECONDS = 10
TOLERANCE_SECONDS = 300
SECRET_FORM = re.compile("whsec_[A-Za-z0-9+/]{32}")
MAX_TRIES = 3


class DoorcodeError(Exception):
    """Doorcode rejected the request or did not answer; `problem` says why."""

    def __init__(self, problem: dict):
        super().__init__(f"{problem['code']}: {problem['detail']}")
        self.problem = problem


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """The key must not reach another host."""

    def redirect_request(self, *_):
        return None


opener = urllib.request.build_opener(NoRedirects)


def post(path: str, body: dict, idempotency_key: str | None = None) -> dict:
    """Sends it again after a lost response, with the same idempotency key: the customer gets one message."""
    headers = {
        "Authorization": f"Bearer {os.environ['DOORCODE_API_KEY']}",
        "Content-Type": "application/json",
        "Idempotency-Key": idempotency_key or str(uuid.uuid4()),
    }
    url = f"{os.environ['DOORCODE_URL']}/api/v1{path}"
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    for tries in range(1, MAX_TRIES + 1):
        try:
            with opener.open(request, timeout=TIMEOUT_SECONDS) as response:
                if response.status != 202:  # such as the page of another program
                    raise DoorcodeError({"code": "NO_RESPONSE", "detail": f"{url}: status {response.status}"})
                return json.load(response)
        except urllib.error.HTTPError as error:
            may_pass = error.code >= 500 or (error.code == 429 and "Retry-After" in error.headers)
            if not may_pass or tries == MAX_TRIES:
                is_ours = error.headers.get_content_type() == "application/problem+json"  # not the page of a proxy
                unknown = {"code": "NO_RESPONSE", "detail": f"{url}: status {error.code}"}
                raise DoorcodeError(json.load(error) if is_ours else unknown) from error
        except (OSError, http.client.HTTPException) as error:
            if tries == MAX_TRIES:
                raise DoorcodeError({"code": "NO_RESPONSE", "detail": f"{url}: {error}"}) from error
        time.sleep(tries)
    raise AssertionError("unreachable")


def verify(body: bytes, headers, secret: str) -> dict | None:
    """Returns the event, or None if it is not genuine. body: the raw bytes. headers: have `get`, in any case of letters."""
    if not SECRET_FORM.match(secret or ""):  # with the text "whsec_None" as the secret, anyone could sign
        raise ValueError("Set DOORCODE_WEBHOOK_SECRET to the secret of the endpoint, whsec_…")
    message_id = headers.get("webhook-id") or ""
    timestamp = headers.get("webhook-timestamp") or ""
    if not (timestamp.isascii() and timestamp.isdigit()) or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return None
    key = base64.b64decode(secret.removeprefix("whsec_"))
    content = f"{message_id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
    given = (headers.get("webhook-signature") or "").split(" ")
    if not any(hmac.compare_digest(signature.encode(), expected.encode()) for signature in given):
        return None
    return json.loads(body)
