// The control API with oapi-codegen: a Ticket, a script entry, and the verdict.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"session/commerce"
)

func expect(what string, found, wanted any) {
	if fmt.Sprint(found) != fmt.Sprint(wanted) {
		panic(fmt.Sprintf("%s: must be %v; got %v", what, wanted, found))
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	client := must(commerce.NewClientWithResponses(os.Getenv("COMMERCE_CONTROL_URL")))
	none := context.Background()
	const json = "application/json"

	expect("the reset", must(client.PostResetWithResponse(none)).JSON200.Scenario.Name, "default")
	added := must(client.PostRecordsWithBodyWithResponse(none, json, strings.NewReader(`{"tickets":[{"location":"loc_bistro","reference":"T-61"}]}`)))
	expect("the Ticket", *added.JSON200.Tickets[0].Reference, "T-61")
	entry := must(client.PostScriptWithBodyWithResponse(none, nil, json, strings.NewReader(`{"on":"POST /transactions","calls":1,"respond":{"status":402}}`)))
	expect("the entry", []any{entry.StatusCode(), entry.JSON201.Applied}, []any{201, 0})
	by := must(client.PostClockAdvanceWithResponse(none, commerce.PostClockAdvanceJSONRequestBody{By: "36h"}))
	expect("the clock", by.JSON200.Running, true)
	unmet := must(client.PostVerifyWithBodyWithResponse(none, nil, json, strings.NewReader(`{"on":"POST /transactions"}`)))
	expect("the verdict", []any{unmet.StatusCode(), must(unmet.JSON409.AsVerdict()).Holds}, []any{409, false})
	refused := must(client.PostScriptWithBodyWithResponse(none, nil, json, strings.NewReader(`{"on":"POST /nothing"}`)))
	expect("a refusal", refused.JSONDefault.Error.Code, "document_invalid")
	fmt.Println("session complete")
}
