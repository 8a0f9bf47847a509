// The session of the README with oapi-codegen and the document.
package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"session/commerce"
)

func expect(what string, found, wanted any) {
	if fmt.Sprint(found) != fmt.Sprint(wanted) {
		panic(fmt.Sprintf("%s: %v was expected, not %v", what, wanted, found))
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func given[T any](value T) *T { return &value }

func withKey(_ context.Context, request *http.Request) error {
	request.SetBasicAuth(os.Getenv("COMMERCE_API_KEY"), "")
	return nil
}

func main() {
	key := commerce.RequestEditorFn(withKey)
	client := must(commerce.NewClientWithResponses(os.Getenv("COMMERCE_BASE_URL")))
	none := context.Background()

	found := must(client.ListTicketsWithResponse(none, &commerce.ListTicketsParams{Location: given("loc_bistro"), SearchQuery: given("T-12"), CreatedLt: given("2026-02-01"), Limit: given(int64(100))}, key))
	expect("Tickets", []any{len(found.JSON200.Data), found.JSON200.Data[0].Id}, []any{1, "tkt_12"})

	payment := must(client.CreateTransactionWithFormdataBodyWithResponse(none, commerce.CreateTransaction{Ticket: "tkt_12", PaymentType: "card", Amount: given(int64(3000)), CardNumber: given("4242424242424242"), CardBrand: given("visa")}))
	expect("the payment", payment.Status(), "200 OK")
	paid := payment.JSON200
	expect("the payment", []any{paid.Amount, *paid.PaymentMethod.Card.Last4}, []any{3000, "4242"})
	// additional properties are left out of a form, so metadata needs a form of its own
	form := url.Values{"transaction": {paid.Id}, "amount": {"1000"}, "reason": {"cold soup"}, "metadata[shift]": {"late"}}
	part := must(client.CreateRefundWithBodyWithResponse(none, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()), key))
	expect("a part", part.Status(), "200 OK")
	expect("a part", []any{part.JSON200.Amount, *part.JSON200.Reason, part.JSON200.Metadata["shift"]}, []any{1000, "cold soup", "late"})
	refused := must(client.CreateRefundWithFormdataBodyWithResponse(none, commerce.CreateRefund{Transaction: paid.Id, Amount: given(int64(2500))}, key))
	expect("too much", []any{refused.StatusCode(), refused.JSON400.Error.Code}, []any{400, "refund_exceeds_remaining"})
	fmt.Println("session complete")
}
