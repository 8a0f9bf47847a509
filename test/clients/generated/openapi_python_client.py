"""The session of the README with openapi-python-client and the document: metadata goes in as further names of a body."""

import os

from client.api.locations import list_locations, update_location
from client.api.refunds import create_refund
from client.api.tickets import list_tickets
from client.api.transactions import create_transaction
from client.client import AuthenticatedClient, Client
from client.models.create_refund import CreateRefund
from client.models.create_transaction import CreateTransaction
from client.models.create_transaction_payment_type import CreateTransactionPaymentType
from client.models.update_location import UpdateLocation
from base64 import b64encode

URL = os.environ["COMMERCE_BASE_URL"]
TOKEN = b64encode(f"{os.environ['COMMERCE_API_KEY']}:".encode()).decode()
client = AuthenticatedClient(base_url=URL, token=TOKEN, prefix="Basic")


def expect(what, found, wanted):
    if found != wanted:
        raise SystemExit(f"{what}: {wanted} was expected, not {found}")


page = list_locations.sync_detailed(client=client, limit=1)
expect("Locations", (page.status_code, len(page.parsed.data), page.parsed.has_more), (200, 1, True))
found = list_tickets.sync(client=client, location="loc_bistro", search_query="T-12", createdlt="2026-02-01", limit=100)
expect("Tickets", [ticket.id for ticket in found.data], ["tkt_12"])

payment = CreateTransaction(ticket="tkt_12", payment_type=CreateTransactionPaymentType.CARD, amount=3000, cardnumber="4242424242424242", cardbrand="visa")
paid = create_transaction.sync(client=Client(base_url=URL), body=payment)
expect("the payment", (paid.amount, paid.payment_method.card.last4), (3000, "4242"))
body = CreateRefund(transaction=paid.id, amount=1000, reason="cold soup")
body["metadata[shift]"] = "late"
part = create_refund.sync(client=client, body=body)
expect("a part", (part.amount, part.reason, part.metadata.to_dict()), (1000, "cold soup", {"shift": "late"}))
refused = create_refund.sync_detailed(client=client, body=CreateRefund(transaction=paid.id, amount=2500))
expect("too much", (refused.status_code, refused.parsed.error.code), (400, "refund_exceeds_remaining"))
rest = create_refund.sync(client=client, body=CreateRefund(transaction=paid.id))
expect("the rest", rest.amount, 2000)

changes = UpdateLocation(phone="", addresscity="Salem")
changes["metadata[seats]"] = "72"
changed = update_location.sync("loc_bistro_harbor", client=client, body=changes)
expect("the update", (changed.phone, changed.address.city, changed.metadata.to_dict()), (None, "Salem", {"seats": "72", "opened": "2025-12-20"}))
print("session complete")
