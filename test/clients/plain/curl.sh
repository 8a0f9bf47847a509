#!/bin/sh
# The session of the README with curl. Reads COMMERCE_BASE_URL and COMMERCE_API_KEY.
set -eu
key="$COMMERCE_API_KEY:"
url=$COMMERCE_BASE_URL

# expect TEXT: the last answer holds the text
expect() {
  case $answer in
    *"$1"*) ;;
    *) echo "expected $1 in $answer" >&2; exit 1 ;;
  esac
}

answer=$(curl -sS -u "$key" "$url/locations?limit=1")
expect '"has_more":true'
answer=$(curl -sS -g -u "$key" "$url/tickets?location=loc_bistro&search_query=T-12&created[lt]=2026-02-01&limit=100")
expect '"id":"tkt_12"'
answer=$(curl -sS "$url/transactions" -d ticket=tkt_12 -d payment_type=card -d amount=3000 -d 'card[number]=4242424242424242' -d 'card[brand]=visa')
expect '"last4":"4242"'
transaction=$(printf %s "$answer" | sed 's/^{"id":"\([^"]*\)".*/\1/')
answer=$(curl -sS -u "$key" "$url/refunds" -d "transaction=$transaction" -d amount=1000 -d 'reason=cold soup' -d 'metadata[shift]=late')
expect '"metadata":{"shift":"late"}'
answer=$(curl -sS -u "$key" "$url/refunds" -d "transaction=$transaction" -d amount=2500)
expect '"code":"refund_exceeds_remaining"'
answer=$(curl -sS -u "$key" "$url/refunds" -d "transaction=$transaction")
expect '"amount":2000'
answer=$(curl -sS -u "$key" "$url/locations" -d display_name=Bar -d 'address[contry]=US')
expect '"param":"address[contry]"'
echo 'session complete'
