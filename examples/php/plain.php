<?php
// php -S 127.0.0.1:8080 plain.php: nothing to install.
require __DIR__ . '/doorcode.php';

$body = (string) file_get_contents('php://input');

switch ($_SERVER['REQUEST_URI']) {
    case '/login':
        // Keep a hash of the code with an expiry, to compare with what the customer types.
        $code = sprintf('%06d', random_int(0, 999999));
        try {
            $sent = doorcode_post('/otp/messages', [
                'to' => json_decode($body, true)['phone'],
                'senderId' => getenv('SENDER_ID'),
                'template' => ['name' => 'login_code', 'language' => 'en_US'],
                'code' => $code,
            ]);
            http_response_code(202);
            echo json_encode(['messageId' => $sent['messageId']]);
        } catch (DoorcodeException $error) {
            if ($error->problem['code'] === 'DEVELOPER_INVALID_INPUT') {
                http_response_code(422);
                echo json_encode(['faults' => $error->problem['errors']]);
            } else {
                http_response_code(503);
                error_log($error->getMessage());
            }
        }
        break;
    case '/webhooks':
        $header = fn (string $name) => $_SERVER['HTTP_' . strtoupper(strtr($name, '-', '_'))] ?? '';
        $event = doorcode_verify($body, $header, (string) getenv('DOORCODE_WEBHOOK_SECRET'));
        http_response_code($event === null ? 400 : 204);
        if ($event !== null) {
            error_log($event['type'] . ' ' . ($event['data']['messageId'] ?? ''));
        }
        break;
    default:
        http_response_code(404);
}
