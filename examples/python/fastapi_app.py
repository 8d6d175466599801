"""pip install fastapi uvicorn; python3 fastapi_app.py"""

import os
import secrets

import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse

import doorcode

app = FastAPI()


@app.post("/login")
def login(body: dict):
    # Keep a hash of the code with an expiry, to compare with what the customer types.
    code = f"{secrets.randbelow(1_000_000):06}"
    template = {"name": "login_code", "language": "en_US"}
    message = {"to": body["phone"], "senderId": os.environ["SENDER_ID"], "template": template, "code": code}
    try:
        sent = doorcode.post("/otp/messages", message)
    except doorcode.DoorcodeError as error:
        if error.problem["code"] == "DEVELOPER_INVALID_INPUT":
            return JSONResponse({"faults": error.problem["errors"]}, 422)
        print(error, flush=True)
        return Response(status_code=503)
    return JSONResponse({"messageId": sent["messageId"]}, 202)


@app.post("/webhooks")
async def webhook(request: Request):
    # request.body() is what was signed. A parameter with a model would be parsed first.
    event = doorcode.verify(await request.body(), request.headers, os.environ["DOORCODE_WEBHOOK_SECRET"])
    if event is None:
        return Response(status_code=400)
    await run_in_threadpool(handle, event)
    return Response(status_code=204)


def handle(event: dict):
    print(event["type"], event["data"].get("messageId", ""), flush=True)


@app.on_event("startup")
def started():
    print("listening", flush=True)


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(os.environ.get("PORT", 8080)), log_level="warning")
