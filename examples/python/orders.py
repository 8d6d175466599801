"""python3 orders.py: nothing to install.

A shop that asks each customer to confirm a cash-on-delivery order before it ships the parcel.
"""

import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock

import doorcode

MAX_BODY_BYTES = 1_000_000

# In your shop, two tables. Change an order and remember the event's id in one transaction.
lock = Lock()
orders: dict[str, dict] = {}
handled: set[str] = set()


def create(given: dict) -> dict:
    """May be called again for the same order, for example after an error."""
    with lock:
        order = orders.setdefault(given["id"], {**given, "state": "awaiting_confirmation", "changed_at": ""})
    confirmation = {
        "to": order["phone"],
        "senderId": os.environ["SENDER_ID"],
        "template": {"name": "order_confirmation", "language": "en"},
        "parameters": {"body": [order["customer"], order["id"], order["total"]]},
        "reference": order["id"],
    }
    # The key is the order's id: the customer gets one message, however often this is called.
    doorcode.post("/cod-confirmations", confirmation, idempotency_key=order["id"])
    return order


def act(event_id: str, event: dict):
    with lock:
        data = event["data"]
        if not event["type"].startswith("cod.") or event_id in handled:
            return
        handled.add(event_id)
        order = orders.get(data.get("reference"))
        # Events can arrive out of order, and a customer can change the answer: the newest counts.
        if order is None or data["occurredAt"] <= order["changed_at"]:
            return
        match event["type"]:
            case "cod.confirmed" | "cod.reschedule_requested":
                order["state"] = "ready_to_ship"
            case "cod.cancelled":
                order["state"] = "cancelled"
            case "cod.no_response" | "cod.failed":
                order["state"] = "call_the_customer"
            case _:  # refusal checks, and types of later releases
                return
        order["changed_at"] = data["occurredAt"]
        # Clears an earlier choice that the customer dropped.
        chosen = data["reschedule"] or {}
        order["deliver_on"] = f"{chosen.get('date') or ''} {chosen.get('timeRange') or ''}".strip()
        print(event["type"], order["id"], order["state"], order["deliver_on"], flush=True)


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        if length > MAX_BODY_BYTES:
            return self.answer(413)
        body = self.rfile.read(length)
        if self.path == "/orders":
            return self.answer(202, create(json.loads(body)))
        if self.path != "/webhooks":
            return self.answer(404)
        event = doorcode.verify(body, self.headers, os.environ["DOORCODE_WEBHOOK_SECRET"])
        if event is None:
            return self.answer(400)
        act(self.headers["webhook-id"], event)
        self.answer(204)

    def answer(self, status, body=None):
        self.send_response(status)
        self.end_headers()
        if body is not None:
            self.wfile.write(json.dumps(body).encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 8080))), Handler)
print("listening", flush=True)
server.serve_forever()
