"""The session of the README with requests. Reads COMMERCE_BASE_URL and COMMERCE_API_KEY."""

import os

import requests

URL = os.environ["COMMERCE_BASE_URL"]
KEY = (os.environ["COMMERCE_API_KEY"], "")


def get(path, **query):
    return requests.get(URL + path, params=query, auth=KEY).json()


def post(path, form, key=KEY):
    return requests.post(URL + path, data=form, auth=key).json()


assert get("/locations", limit=1)["has_more"]
found = get("/tickets", location="loc_bistro", search_query="T-12", limit=100, **{"created[lt]": "2026-02-01"})
assert [ticket["id"] for ticket in found["data"]] == ["tkt_12"]
card = {"card[number]": "4242424242424242", "card[brand]": "visa"}
paid = post("/transactions", {"ticket": "tkt_12", "payment_type": "card", "amount": 3000, **card}, key=None)
assert paid["payment_method"]["card"] == {"brand": "visa", "last4": "4242"}
part = post("/refunds", {"transaction": paid["id"], "amount": 1000, "reason": "cold soup", "metadata[shift]": "late"})
assert (part["amount"], part["metadata"]) == (1000, {"shift": "late"})
assert post("/refunds", {"transaction": paid["id"], "amount": 2500})["error"]["code"] == "refund_exceeds_remaining"
assert post("/refunds", {"transaction": paid["id"]})["amount"] == 2000
assert post("/locations", {"display_name": "Bar", "address[contry]": "US"})["error"]["param"] == "address[contry]"
assert "client turned an object into text" in post("/refunds", {"transaction": paid["id"], "metadata": str({"k": "v"})})["error"]["message"]
print("session complete")
