import requests
from commerce_emulator import CommerceEmulatorContainer


def test_a_payment_by_card_is_charged_in_cents(commerce: CommerceEmulatorContainer) -> None:
    form = {"ticket": "tkt_60", "payment_type": "card", "amount": "4200", "card[brand]": "visa", "card[last4]": "4242"}

    response = requests.post(f"{commerce.get_base_url()}/transactions", data=form, timeout=10)

    assert response.status_code == 200
    assert response.json()["amount"] == 4200
