/** How a receiver verifies a webhook: the code of docs/webhooks.md, which src/webhooks/documentation.test.ts runs. */
export const VERIFY = {
  'Node.js': `// npm install standardwebhooks
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'

const { WEBHOOK_SECRET } = process.env
if (!WEBHOOK_SECRET) throw new Error('Set WEBHOOK_SECRET to the secret of the endpoint, whsec_….')
const webhook = new Webhook(WEBHOOK_SECRET)

export const server = createServer(async (request, response) => {
  const body = await buffer(request)
  let event
  try {
    event = webhook.verify(body, request.headers) // throws unless a signature fits
  } catch {
    return response.writeHead(400).end()
  }
  console.log(request.headers['webhook-id'], event.type, event.data)
  response.writeHead(204).end()
})`,
  PHP: `<?php
const TOLERANCE_SECONDS = 300;
const SECRET_FORM = '~^whsec_[A-Za-z0-9+/]{32}~';

/** $body: file_get_contents('php://input'). $secret: whsec_… */
function isGenuine(string $body, string $secret): bool
{
    if (!preg_match(SECRET_FORM, $secret)) { // with an empty secret, anyone could sign
        throw new InvalidArgumentException('$secret is not the secret of an endpoint, whsec_…');
    }
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }
    $key = base64_decode(substr($secret, strlen('whsec_')));
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $given) {
        if (hash_equals($expected, $given)) {
            return true;
        }
    }
    return false;
}`,
  Python: `import base64
import hashlib
import hmac
import re
import time

TOLERANCE_SECONDS = 300
SECRET_FORM = re.compile("whsec_[A-Za-z0-9+/]{32}")


def is_genuine(body: bytes, headers: dict[str, str], secret: str) -> bool:
    """body: the raw bytes. headers: with names in lower case. secret: whsec_…"""
    if not SECRET_FORM.match(secret or ""):  # with the text "whsec_None" as the secret, anyone could sign
        raise ValueError('"secret" is not the secret of an endpoint, whsec_…')
    message_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    if not (timestamp.isascii() and timestamp.isdigit()) or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    content = f"{message_id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(signature.encode(), expected.encode()) for signature in given)`,
} as const
