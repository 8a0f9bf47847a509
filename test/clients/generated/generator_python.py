"""The session of the README with openapi-generator's Python client and the document; it sends no metadata."""

import os
import sys

sys.path.insert(0, "client")
import commerce
from commerce.exceptions import BadRequestException

configuration = commerce.Configuration(host=os.environ["COMMERCE_BASE_URL"], username=os.environ["COMMERCE_API_KEY"], password="")
client = commerce.ApiClient(configuration)
refunds = commerce.RefundsApi(client)


def expect(what, found, wanted):
    if found != wanted:
        raise SystemExit(f"{what}: {wanted} was expected, not {found}")


found = commerce.TicketsApi(client).list_tickets(location="loc_bistro", search_query="T-12", created_lt="2026-02-01", limit=100)
expect("Tickets", [ticket.id for ticket in found.data], ["tkt_12"])

paid = commerce.TransactionsApi(client).create_transaction(
    ticket="tkt_12", payment_type="card", amount=3000, card_number="4242424242424242", card_brand="visa"
)
expect("the payment", (paid.amount, paid.payment_method.card.last4, paid.customer), (3000, "4242", None))
part = refunds.create_refund(transaction=paid.id, amount=1000, reason="cold soup")
expect("a part", (part.amount, part.reason), (1000, "cold soup"))
try:
    refunds.create_refund(transaction=paid.id, amount=2500)
    raise SystemExit("too much was refunded")
except BadRequestException as refusal:
    expect("too much", refusal.data.error.code, "refund_exceeds_remaining")
print("session complete")
