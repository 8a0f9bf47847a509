package commerceemulator

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"testing"

	"github.com/testcontainers/testcontainers-go"
)

func TestAPaymentByCardIsChargedInCents(t *testing.T) {
	commerce, err := Run(context.Background(), os.Getenv("COMMERCE_IMAGE"), WithScenario("default"))
	testcontainers.CleanupContainer(t, commerce)
	if err != nil {
		t.Fatal(err)
	}

	response, err := http.PostForm(commerce.BaseURL()+"/transactions", url.Values{
		"ticket": {"tkt_60"}, "payment_type": {"card"}, "amount": {"4200"}, "card[brand]": {"visa"}, "card[last4]": {"4242"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()

	var payment struct{ Amount int64 }
	if err := json.NewDecoder(response.Body).Decode(&payment); err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK || payment.Amount != 4200 {
		t.Errorf("got status %d and amount %d", response.StatusCode, payment.Amount)
	}
}
