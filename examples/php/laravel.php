<?php
// routes/api.php of a Laravel application, whose routes begin with /api; put doorcode.php beside it. Routes of routes/web.php would ask
// for a CSRF token.
use Illuminate\Http\JsonResponse;
use Illuminate\Http\Request;
use Illuminate\Http\Response;
use Illuminate\Support\Facades\Route;

require_once __DIR__ . '/doorcode.php';

Route::post('/login', function (Request $request) {
    // Keep a hash of the code with an expiry, to compare with what the customer types.
    $code = sprintf('%06d', random_int(0, 999999));
    try {
        $sent = doorcode_post('/otp/messages', [
            'to' => $request->input('phone'),
            'senderId' => getenv('SENDER_ID'),
            'template' => ['name' => 'login_code', 'language' => 'en_US'],
            'code' => $code,
        ]);
    } catch (DoorcodeException $error) {
        if ($error->problem['code'] === 'DEVELOPER_INVALID_INPUT') {
            return new JsonResponse(['faults' => $error->problem['errors']], 422);
        }
        error_log($error->getMessage());
        return new Response('', 503);
    }
    return new JsonResponse(['messageId' => $sent['messageId']], 202);
});

Route::post('/webhooks', function (Request $request) {
    // getContent() is what was signed. $request->all() is parsed.
    $header = fn (string $name) => $request->header($name, '');
    $event = doorcode_verify($request->getContent(), $header, (string) getenv('DOORCODE_WEBHOOK_SECRET'));
    if ($event === null) {
        return new Response('', 400);
    }
    error_log($event['type'] . ' ' . ($event['data']['messageId'] ?? ''));
    return new Response('', 204);
});
