"""session.txt with urllib."""

import base64
import os
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

KEY = "Basic " + base64.b64encode(f"{os.environ['COMMERCE_API_KEY']}:".encode()).decode()

with open(os.environ["COMMERCE_SESSION"], encoding="utf-8") as session:
    for line in session.read().splitlines():
        status, key, method, path, form, wanted = line.split("|")
        values = urlencode(dict(pair.split("=") for pair in form.split("&") if pair))
        url = os.environ["COMMERCE_BASE_URL"] + path + ("?" + values if method == "GET" else "")
        headers = {"Authorization": KEY} if key else {}
        try:
            answer = urlopen(Request(url, values.encode() if method == "POST" else None, headers, method=method), timeout=30)
        except HTTPError as error:
            answer = error
        text = answer.read().decode()
        assert answer.status == int(status) and (wanted in text if wanted else text == ""), f"{line}: {answer.status} {text}"
print("session complete")
