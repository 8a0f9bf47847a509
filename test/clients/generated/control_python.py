"""The control API with openapi-python-client: a Ticket, a script entry, a request that it declines, and the verdict."""

import os
import urllib.request
from urllib.error import HTTPError

from client.api.script_and_gates import post_script
from client.api.evidence import get_requests, post_verify
from client.api.state import post_records, post_reset
from client.client import Client
from client.models.fixture import Fixture
from client.models.script_entry import ScriptEntry
from client.models.post_verify_body import PostVerifyBody

client = Client(base_url=os.environ["COMMERCE_CONTROL_URL"])


def expect(what, found, wanted):
    if found != wanted:
        raise SystemExit(f"{what}: must be {wanted}; got {found}")


expect("the reset", post_reset.sync(client=client).scenario.name, "default")
added = post_records.sync(client=client, body=Fixture.from_dict({"tickets": [{"location": "loc_bistro", "reference": "T-61"}]}))
ticket = added.tickets[0].id
entry = post_script.sync(client=client, body=ScriptEntry.from_dict({"on": "POST /transactions", "calls": 1, "respond": {"status": 402}}))
expect("the entry", entry.applied, 0)
try:
    urllib.request.urlopen(os.environ["COMMERCE_BASE_URL"] + "/transactions", f"ticket={ticket}&payment_type=card".encode())
except HTTPError as refused:
    expect("the payment", refused.code, 402)
expect("the journal", get_requests.sync(client=client).data[0].status, 402)
verdict = post_verify.sync(client=client, body=PostVerifyBody.from_dict({"on": "POST /transactions", "times": 1}))
expect("the verdict", verdict.holds, True)
refused = post_script.sync(client=client, body=ScriptEntry.from_dict({"on": "POST /refunds", "delay": "soon"}))
expect("a refusal", refused.error.code, "document_invalid")
print("session complete")
