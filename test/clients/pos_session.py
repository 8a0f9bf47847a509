"""One session at a point of sale, with the standard library alone: find a Ticket, split its payment over two cards, refund, look after a User.

Reads COMMERCE_BASE_URL and COMMERCE_API_KEY, and COMMERCE_TICKET, the reference to look for (T-12 when left out).
"""

import base64
import itertools
import json
import os
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

BASE_URL = os.environ["COMMERCE_BASE_URL"]
KEY = "Basic " + base64.b64encode(f"{os.environ['COMMERCE_API_KEY']}:".encode()).decode()
REFERENCE = os.environ.get("COMMERCE_TICKET", "T-12")

numbers = itertools.count(1)


def step(text):
    print(f"{next(numbers)}. {text}")


def expect(holds, what):
    if not holds:
        raise SystemExit(f"expected {what}")


def call(method, path, query=None, form=None, key=True):
    """Makes a call and answers its status and body."""
    url = BASE_URL + path + ("?" + urlencode(query) if query else "")
    request = Request(url, method=method, data=None if form is None else urlencode(form).encode())
    if key:
        request.add_header("Authorization", KEY)
    try:
        with urlopen(request, timeout=30) as response:
            return response.status, response.read()
    except HTTPError as error:
        return error.code, error.read()


def carried_out(method, path, **parts):
    status, body = call(method, path, **parts)
    expect(200 <= status < 300, f"a 2xx from {method} {path}, not {status} {body.decode()}")
    return json.loads(body)


def every(path, query=None):
    """Every record of a list, page after page until has_more is false; a page that a search emptied is not the end."""
    cursor = {}
    while True:
        page = carried_out("GET", path, query={**(query or {}), "limit": 5, **cursor})
        yield from page["data"]
        if not page["has_more"]:
            return
        cursor = {"starting_after": page["last_id"]}


def find_ticket(locations):
    for location in locations:
        for ticket in every("/tickets", {"location": location["id"], "search_query": REFERENCE}):
            if ticket["reference"] == REFERENCE:
                return ticket
    raise SystemExit(f"expected a Ticket {REFERENCE}")


def pay(ticket, number):
    card = {"card[number]": number, "card[expiry]": "12/34", "card[csc]": "123"}
    form = {"ticket": ticket["id"], "payment_type": "card", "currency": "usd", "amount": 2500, **card}
    return carried_out("POST", "/transactions", form=form, key=False)


locations = list(every("/locations"))
expect(locations, "a Location")
step(f"{len(locations)} Locations")

ticket = find_ticket(locations)
step(f"Ticket {ticket['id']} is {ticket['reference']}")

first, second = (pay(ticket, number) for number in ("4242424242424242", "5555555555554444"))
step(f"paid without a key, split over two cards: {first['id']} and {second['id']}")

transaction = carried_out("GET", f"/transactions/{first['id']}")
last4 = transaction["payment_method"]["card"]["last4"]
expect(last4 == "4242", f"last4 to be 4242, not {last4}")
step(f"{transaction['id']} was paid with the card that ends in {last4}")

note = {"reason": "cold soup", "metadata[till]": "3", "metadata[shift]": "late"}
part = carried_out("POST", "/refunds", form={"transaction": first["id"], "amount": 1000, **note})
rest = carried_out("POST", "/refunds", form={"transaction": first["id"]})
expect((part["amount"], rest["amount"]) == (1000, 1500), "Refunds of 1000 and 1500")
step(f"refunded in two parts: {part['amount']} and the remaining {rest['amount']}")

status, _ = call("POST", "/refunds", form={"transaction": first["id"], "amount": 1})
expect(400 <= status < 500, f"a third Refund to be refused, not {status}")
step("a third Refund is refused")

changed = carried_out("POST", f"/refunds/{part['id']}", form={"metadata[till]": "4"})["metadata"]
expect((changed["till"], changed["shift"]) == ("4", "late"), "the till to be 4 and the shift as it was")
unset = carried_out("POST", f"/refunds/{part['id']}", form={"metadata[shift]": ""})["metadata"]
expect(unset["till"] == "4" and not unset.get("shift"), "the shift to be unset")
step("metadata is changed, and a key of it unset")

account = next(every("/accounts"))
users = f"/accounts/{account['id']}/users"
user = carried_out("POST", users, form={"name": "Ana Núñez", "email": "ana+till@example.com"})
listed = every(users, {"created[gte]": user["created"]})
expect(any((other["id"], other["name"]) == (user["id"], "Ana Núñez") for other in listed), "the User to be listed")
status, body = call("DELETE", f"{users}/{user['id']}")
expect((status, body) == (204, b""), f"204 and an empty body, not {status}")
step("a User is added, listed and deleted")

status, _ = call("DELETE", f"/locations/{locations[0]['id']}")
expect(status == 501, f"501, not {status}")
step("deleting a Location is answered 501")

print(f"session complete: {next(numbers) - 1} steps")
