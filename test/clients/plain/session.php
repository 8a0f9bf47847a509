<?php
// The session of the README with http_build_query and streams. Reads COMMERCE_BASE_URL and COMMERCE_API_KEY.
const FORM = 'Content-Type: application/x-www-form-urlencoded';

function call(string $method, string $path, array $values, bool $key = true): array
{
    $form = http_build_query($values);
    $headers = $key ? ['Authorization: Basic ' . base64_encode(getenv('COMMERCE_API_KEY') . ':')] : [];
    $http = ['method' => $method, 'ignore_errors' => true, 'header' => $headers];
    if ($method === 'POST') {
        $http = ['content' => $form, 'header' => [...$headers, FORM]] + $http;
    } else {
        $path .= "?$form";
    }
    return json_decode(file_get_contents(getenv('COMMERCE_BASE_URL') . $path, false, stream_context_create(['http' => $http])), true);
}

function expect($found, $wanted): void
{
    if ($found !== $wanted) {
        fwrite(STDERR, json_encode($wanted) . ' was expected, not ' . json_encode($found) . "\n");
        exit(1);
    }
}

expect(call('GET', '/locations', ['limit' => 1])['has_more'], true);
$query = ['location' => 'loc_bistro', 'search_query' => 'T-12', 'created' => ['lt' => '2026-02-01'], 'limit' => 100];
expect(array_column(call('GET', '/tickets', $query)['data'], 'id'), ['tkt_12']);
$card = ['number' => '4242424242424242', 'brand' => 'visa'];
$paid = call('POST', '/transactions', ['ticket' => 'tkt_12', 'payment_type' => 'card', 'amount' => 3000, 'card' => $card], false);
expect($paid['payment_method']['card'], ['brand' => 'visa', 'last4' => '4242']);
$transaction = $paid['id'];
$part = call('POST', '/refunds', ['transaction' => $transaction, 'amount' => 1000, 'reason' => 'cold soup', 'metadata' => ['shift' => 'late']]);
expect([$part['amount'], $part['metadata']], [1000, ['shift' => 'late']]);
expect(call('POST', '/refunds', ['transaction' => $transaction, 'amount' => 2500])['error']['code'], 'refund_exceeds_remaining');
expect(call('POST', '/refunds', ['transaction' => $transaction])['amount'], 2000);
expect(call('POST', '/locations', ['display_name' => 'Bar', 'address' => ['contry' => 'US']])['error']['param'], 'address[contry]');
echo "session complete\n";
