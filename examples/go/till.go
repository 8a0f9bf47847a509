// Package till is the code under test: what a till does with the Commerce Service.
package till

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// Refused is a call that the service refused, with the code of its error.
type Refused struct {
	Status  int
	Code    string
	Message string
}

func (refused *Refused) Error() string { return refused.Message }

// Payment is what the till reads of a Transaction. Amounts are in cents.
type Payment struct {
	ID             string `json:"id"`
	Amount         int64  `json:"amount"`
	AmountRefunded int64  `json:"amount_refunded"`
}

// Refund is what the till reads of a Refund.
type Refund struct {
	ID     string `json:"id"`
	Amount int64  `json:"amount"`
}

// Till calls the service at BaseURL with an API key.
type Till struct {
	BaseURL string
	APIKey  string
}

// Pay charges a card; this call needs no key.
func (till Till) Pay(ticket string, amount int64) (Payment, error) {
	form := url.Values{"ticket": {ticket}, "payment_type": {"card"}, "amount": {strconv.FormatInt(amount, 10)}}
	form.Set("card[brand]", "visa")
	form.Set("card[token]", "tok_visa")
	form.Set("card[last4]", "4242")
	var payment Payment
	err := till.call(http.MethodPost, "/transactions", form, "", &payment)
	return payment, err
}

// Payment reads a Transaction.
func (till Till) Payment(id string) (Payment, error) {
	var payment Payment
	err := till.call(http.MethodGet, "/transactions/"+url.PathEscape(id), nil, till.APIKey, &payment)
	return payment, err
}

// Refund gives money back.
func (till Till) Refund(payment string, amount int64) (Refund, error) {
	form := url.Values{"transaction": {payment}, "amount": {strconv.FormatInt(amount, 10)}}
	var refund Refund
	err := till.call(http.MethodPost, "/refunds", form, till.APIKey, &refund)
	return refund, err
}

func (till Till) call(method, path string, form url.Values, key string, result any) error {
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	request, err := http.NewRequest(method, till.BaseURL+path, body)
	if err != nil {
		return err
	}
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if key != "" {
		request.SetBasicAuth(key, "")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("the service cannot be reached: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		var refusal struct{ Error Refused }
		if err := json.NewDecoder(response.Body).Decode(&refusal); err != nil {
			return err
		}
		refusal.Error.Status = response.StatusCode
		return &refusal.Error
	}
	return json.NewDecoder(response.Body).Decode(result)
}
