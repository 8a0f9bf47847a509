// The session of the README with openapi-generator's Go client and the document; it sends no metadata.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"commerce"
)

func expect(what string, found, wanted any) {
	if fmt.Sprint(found) != fmt.Sprint(wanted) {
		panic(fmt.Sprintf("%s: %v was expected, not %v", what, wanted, found))
	}
}

func must[T, R any](value T, _ R, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	configuration := commerce.NewConfiguration()
	configuration.Servers = commerce.ServerConfigurations{{URL: os.Getenv("COMMERCE_BASE_URL")}}
	client := commerce.NewAPIClient(configuration)
	key := context.WithValue(context.Background(), commerce.ContextBasicAuth, commerce.BasicAuth{UserName: os.Getenv("COMMERCE_API_KEY")})

	found := must(client.TicketsAPI.ListTickets(key).Location("loc_bistro").SearchQuery("T-12").CreatedLt("2026-02-01").Limit(100).Execute())
	expect("Tickets", []any{len(found.Data), found.Data[0].Id}, []any{1, "tkt_12"})

	paid := must(client.TransactionsAPI.CreateTransaction(context.Background()).Ticket("tkt_12").PaymentType("card").Amount(3000).CardNumber("4242424242424242").CardBrand("visa").Execute())
	expect("the payment", []any{paid.Amount, paid.PaymentMethod.GetCard().Last4.Get() != nil}, []any{3000, true})
	part := must(client.RefundsAPI.CreateRefund(key).Transaction(paid.Id).Amount(1000).Reason("cold soup").Execute())
	expect("a part", []any{part.Amount, *part.Reason.Get()}, []any{1000, "cold soup"})
	_, response, err := client.RefundsAPI.CreateRefund(key).Transaction(paid.Id).Amount(2500).Execute()
	var refusal *commerce.GenericOpenAPIError
	if !errors.As(err, &refusal) {
		panic("too much was refunded")
	}
	expect("too much", []any{response.StatusCode, refusal.Model().(commerce.ErrorResponse).Error.Code}, []any{400, "refund_exceeds_remaining"})
	fmt.Println("session complete")
}
