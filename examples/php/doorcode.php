<?php
// Doorcode with nothing but PHP 8 and its curl extension.

const DOORCODE_TIMEOUT_SECONDS = 10;
const DOORCODE_TOLERANCE_SECONDS = 300;
const DOORCODE_SECRET_FORM = '~^whsec_[A-Za-z0-9+/]{32}~';
const DOORCODE_MAX_TRIES = 3;

/** Doorcode rejected the request; $problem says why. */
final class DoorcodeException extends RuntimeException
{
    public function __construct(public readonly array $problem)
    {
        parent::__construct("{$problem['code']}: {$problem['detail']}");
    }
}

/** Sends it again after a lost response, with the same idempotency key: the customer gets one message. */
function doorcode_post(string $path, array $body, ?string $idempotencyKey = null): array
{
    $url = getenv('DOORCODE_URL') . "/api/v1$path";
    $request = curl_init($url);
    curl_setopt_array($request, [
        CURLOPT_HTTPHEADER => [
            'Authorization: Bearer ' . getenv('DOORCODE_API_KEY'),
            'Content-Type: application/json',
            'Idempotency-Key: ' . ($idempotencyKey ?? bin2hex(random_bytes(16))),
        ],
        CURLOPT_POSTFIELDS => json_encode($body, JSON_THROW_ON_ERROR),
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_TIMEOUT => DOORCODE_TIMEOUT_SECONDS,
    ]);
    for ($tries = 1; ; $tries++) {
        $text = curl_exec($request);
        $status = curl_getinfo($request, CURLINFO_RESPONSE_CODE);
        $answer = is_string($text) ? json_decode($text, true) : null;
        if ($status === 202 && is_array($answer)) {
            return $answer;
        }
        $mayPass = $text === false || $status >= 500 || ($answer['code'] ?? '') === 'RATE_LIMITED';
        if (!$mayPass || $tries === DOORCODE_MAX_TRIES) {
            $unknown = ['code' => 'NO_RESPONSE', 'detail' => "$url: " . (curl_error($request) ?: "status $status")];
            throw new DoorcodeException(isset($answer['code']) ? $answer : $unknown);
        }
        sleep($tries);
    }
}

/** Returns the event, or null if it is not genuine. $body: the raw bytes. $header: returns a header by its name. */
function doorcode_verify(string $body, callable $header, string $secret): ?array
{
    if (!preg_match(DOORCODE_SECRET_FORM, $secret)) { // with an empty secret, anyone could sign
        throw new InvalidArgumentException('Set DOORCODE_WEBHOOK_SECRET to the secret of the endpoint, whsec_…');
    }
    $timestamp = (string) $header('webhook-timestamp');
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > DOORCODE_TOLERANCE_SECONDS) {
        return null;
    }
    $key = base64_decode(substr($secret, strlen('whsec_')));
    $content = $header('webhook-id') . ".$timestamp.$body";
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', $content, $key, true));
    foreach (explode(' ', (string) $header('webhook-signature')) as $given) {
        if (hash_equals($expected, $given)) {
            return json_decode($body, true, flags: JSON_THROW_ON_ERROR);
        }
    }
    return null;
}
