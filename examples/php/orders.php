<?php
// php -S 127.0.0.1:8080 orders.php: nothing to install.
// A shop that asks each customer to confirm a cash-on-delivery order before it ships the parcel.
require __DIR__ . '/doorcode.php';

const STORE = __DIR__ . '/orders.json';

/** In your shop, two tables. Change an order and remember the event's id in one transaction. */
function change_store(callable $change): mixed
{
    $file = fopen(STORE, 'c+');
    flock($file, LOCK_EX);
    $store = json_decode((string) stream_get_contents($file), true) ?? ['orders' => [], 'handled' => []];
    $result = $change($store['orders'], $store['handled']);
    ftruncate($file, 0);
    rewind($file);
    fwrite($file, json_encode($store, JSON_THROW_ON_ERROR));
    fclose($file);
    return $result;
}

/** May be called again for the same order, for example after an error. */
function create_order(array $given): array
{
    $order = change_store(function (array &$orders) use ($given): array {
        return $orders[$given['id']] ??= [...$given, 'state' => 'awaiting_confirmation', 'changedAt' => ''];
    });
    doorcode_post('/cod-confirmations', [
        'to' => $order['phone'],
        'senderId' => getenv('SENDER_ID'),
        'template' => ['name' => 'order_confirmation', 'language' => 'en'],
        'parameters' => ['body' => [$order['customer'], $order['id'], $order['total']]],
        'reference' => $order['id'],
    ], $order['id']); // the customer gets one message, however often this is called
    return $order;
}

function act(string $eventId, array $event): void
{
    change_store(function (array &$orders, array &$handled) use ($eventId, $event): void {
        ['type' => $type, 'data' => $data] = $event;
        if (!str_starts_with($type, 'cod.') || isset($handled[$eventId])) {
            return;
        }
        $handled[$eventId] = true;
        $id = $data['reference'] ?? '';
        // Events can arrive out of order, and a customer can change the answer: the newest counts.
        if (!isset($orders[$id]) || $data['occurredAt'] <= $orders[$id]['changedAt']) {
            return;
        }
        $state = match ($type) {
            'cod.confirmed', 'cod.reschedule_requested' => 'ready_to_ship',
            'cod.cancelled' => 'cancelled',
            'cod.no_response', 'cod.failed' => 'call_the_customer',
            default => null, // refusal checks, and types of later releases
        };
        if ($state === null) {
            return;
        }
        $wish = $data['reschedule'] ?? [];
        $deliverOn = trim(($wish['date'] ?? '') . ' ' . ($wish['timeRange'] ?? ''));
        $orders[$id] = [...$orders[$id], 'state' => $state, 'deliverOn' => $deliverOn, 'changedAt' => $data['occurredAt']];
        error_log("$type $id $state $deliverOn");
    });
}

$body = (string) file_get_contents('php://input');

switch ($_SERVER['REQUEST_URI']) {
    case '/orders':
        $order = create_order(json_decode($body, true));
        http_response_code(202);
        echo json_encode($order);
        break;
    case '/webhooks':
        $header = fn (string $name) => $_SERVER['HTTP_' . strtoupper(strtr($name, '-', '_'))] ?? '';
        $event = doorcode_verify($body, $header, (string) getenv('DOORCODE_WEBHOOK_SECRET'));
        if ($event !== null) {
            act($header('webhook-id'), $event);
        }
        http_response_code($event === null ? 400 : 204);
        break;
    default:
        http_response_code(404);
}
