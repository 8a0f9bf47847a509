"""session.txt with requests, and what it makes of an object in a form."""

import os

import requests

URL = os.environ["COMMERCE_BASE_URL"]
KEY = (os.environ["COMMERCE_API_KEY"], "")

with open(os.environ["COMMERCE_SESSION"], encoding="utf-8") as session:
    for line in session.read().splitlines():
        status, key, method, path, form, wanted = line.split("|")
        values = dict(pair.split("=") for pair in form.split("&") if pair)
        given = {"data": values} if method == "POST" else {"params": values}
        answer = requests.request(method, URL + path, auth=KEY if key else None, **given)
        answer.encoding = "utf-8"
        assert answer.status_code == int(status) and (wanted in answer.text if wanted else answer.text == ""), f"{line}: {answer.text}"
refused = requests.post(URL + "/refunds", data={"transaction": "txn_12", "metadata": str({"k": "v"})}, auth=KEY).json()
assert "must have nested names" in refused["error"]["message"]
print("session complete")
