import pytest

from till import Refused, Till


@pytest.fixture
def till(commerce) -> Till:
    return Till(commerce.base_url, commerce.api_key)


@pytest.mark.parametrize("amount", [1, 1000, 3000])
def test_a_payment_is_refunded_in_part_and_never_beyond_what_was_paid(commerce, till, amount):
    payment = till.pay(commerce.ticket(), 3000)

    till.refund(payment["id"], amount)

    with pytest.raises(Refused) as refused:
        till.refund(payment["id"], 3001 - amount)
    assert refused.value.code == ("charge_already_refunded" if amount == 3000 else "refund_exceeds_remaining")
    assert till.payment(payment["id"])["amount_refunded"] == amount


def test_a_declined_card_pays_nothing(commerce, till):
    ticket = commerce.ticket()
    error = {"type": "card_error", "code": "card_declined", "message": "The card was declined."}
    commerce.script(on="POST /transactions", calls=1, respond={"status": 402, "error": error})

    with pytest.raises(Refused) as refused:
        till.pay(ticket, 3000)

    assert (refused.value.status, refused.value.code) == (402, "card_declined")
    assert till.pay(ticket, 3000)["amount"] == 3000


def test_a_refund_whose_answer_is_lost_is_not_made_twice(commerce, till):
    payment = till.pay(commerce.ticket(), 3000)
    commerce.script(on="POST /refunds", calls=1, fault="connection_reset", when="after")

    till.refund(payment["id"], 1000)

    assert till.payment(payment["id"])["amount_refunded"] == 1000
    assert len(commerce.requests("POST /refunds")) == 1
    assert commerce.findings() == []


@pytest.mark.parametrize("run", range(4))
def test_each_test_begins_in_the_same_state(commerce, run):
    commerce.ticket("T-own")

    tickets = commerce.control("GET", "/state")["tickets"]
    assert [ticket["reference"] for ticket in tickets].count("T-own") == 1
