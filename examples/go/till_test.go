package till

import (
	"errors"
	"testing"
)

func TestRefundInPartAndNeverBeyondWhatWasPaid(t *testing.T) {
	for _, test := range []struct {
		name   string
		amount int64
		code   string
	}{
		{"part", 1000, "refund_exceeds_remaining"},
		{"all", 3000, "charge_already_refunded"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			commerce := newCommerce(t)
			till := commerce.till()
			payment, err := till.Pay(commerce.ticket(), 3000)
			if err != nil {
				t.Fatal(err)
			}

			if _, err := till.Refund(payment.ID, test.amount); err != nil {
				t.Fatal(err)
			}

			_, err = till.Refund(payment.ID, 3001-test.amount)
			if code := codeOf(err); code != test.code {
				t.Errorf("the second Refund was refused with %q, not %q", code, test.code)
			}
			after, err := till.Payment(payment.ID)
			if err != nil {
				t.Fatal(err)
			}
			if after.AmountRefunded != test.amount {
				t.Errorf("%d was refunded, not %d", after.AmountRefunded, test.amount)
			}
		})
	}
}

func TestDeclinedCardPaysNothing(t *testing.T) {
	t.Parallel()
	commerce := newCommerce(t)
	till, ticket := commerce.till(), commerce.ticket()
	declined := map[string]string{"type": "card_error", "code": "card_declined", "message": "The card was declined."}
	commerce.script(map[string]any{"on": "POST /transactions", "calls": 1, "respond": map[string]any{"status": 402, "error": declined}})

	_, err := till.Pay(ticket, 3000)
	if code := codeOf(err); code != "card_declined" {
		t.Errorf("the payment was refused with %q", code)
	}

	if payment, err := till.Pay(ticket, 3000); err != nil || payment.Amount != 3000 {
		t.Errorf("the second payment: %+v, %v", payment, err)
	}
}

func codeOf(err error) string {
	var refused *Refused
	if errors.As(err, &refused) {
		return refused.Code
	}
	return ""
}
