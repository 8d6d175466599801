"""python3 server.py: nothing to install."""

import json
import os
import secrets
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import doorcode

MAX_BODY_BYTES = 1_000_000


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        if length > MAX_BODY_BYTES:
            return self.answer(413)
        body = self.rfile.read(length)
        if self.path == "/login":
            return self.login(json.loads(body)["phone"])
        if self.path == "/webhooks":
            return self.webhook(body)
        self.answer(404)

    def login(self, phone):
        # Keep a hash of the code with an expiry, to compare with what the customer types.
        code = f"{secrets.randbelow(1_000_000):06}"
        template = {"name": "login_code", "language": "en_US"}
        message = {"to": phone, "senderId": os.environ["SENDER_ID"], "template": template, "code": code}
        try:
            sent = doorcode.post("/otp/messages", message)
        except doorcode.DoorcodeError as error:
            if error.problem["code"] == "DEVELOPER_INVALID_INPUT":
                return self.answer(422, {"faults": error.problem["errors"]})
            print(error, flush=True)
            return self.answer(503)
        self.answer(202, {"messageId": sent["messageId"]})

    def webhook(self, body):
        event = doorcode.verify(body, self.headers, os.environ["DOORCODE_WEBHOOK_SECRET"])
        if event is None:
            return self.answer(400)
        print(event["type"], event["data"].get("messageId", ""), flush=True)
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
