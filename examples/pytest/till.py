"""The code under test: what a till does with the Commerce Service."""

import requests


class Refused(Exception):
    def __init__(self, status: int, error: dict) -> None:
        super().__init__(error["message"])
        self.status = status
        self.code = error["code"]


class Till:
    def __init__(self, base_url: str, api_key: str) -> None:
        self._base_url = base_url
        self._auth = (api_key, "")

    def _call(self, method: str, path: str, **options) -> dict:
        response = requests.request(method, f"{self._base_url}{path}", timeout=10, **options)
        body = response.json()
        if not response.ok:
            raise Refused(response.status_code, body["error"])
        return body

    def pay(self, ticket: str, amount: int) -> dict:
        """Charges a card; this call needs no key. The amount is in cents."""
        form = {"ticket": ticket, "payment_type": "card", "amount": amount, "card[brand]": "visa", "card[token]": "tok_visa", "card[last4]": "4242"}
        return self._call("POST", "/transactions", data=form)

    def payment(self, payment: str) -> dict:
        return self._call("GET", f"/transactions/{payment}", auth=self._auth)

    def refund(self, payment: str, amount: int) -> dict:
        """Gives money back, once: when the answer is lost, the Refunds of the payment say whether it was made."""
        before = self._refunds(payment)
        try:
            return self._call("POST", "/refunds", data={"transaction": payment, "amount": amount}, auth=self._auth)
        except requests.ConnectionError:
            made = [refund for refund in self._refunds(payment) if refund not in before]
            if made:
                return made[0]
            raise

    def _refunds(self, payment: str) -> list:
        return self._call("GET", "/refunds", params={"transaction": payment, "limit": 100}, auth=self._auth)["data"]
