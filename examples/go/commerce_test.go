package till

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"regexp"
	"testing"
)

const apiKey = "sk_test_merchant"

var noName = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// commerce is a sandbox of commerce-emulator for one test. Each test has its own, so all of them may call t.Parallel.
type commerce struct {
	t       *testing.T
	sandbox string
}

// newCommerce makes a sandbox named after the test, in the scenario's initial state, and removes it when the test ends.
func newCommerce(t *testing.T) commerce {
	t.Helper()
	origin := cmp.Or(os.Getenv("COMMERCE_URL"), "http://localhost:4010")
	name := noName.ReplaceAllString(t.Name(), "-")
	name = name[:min(len(name), 64)]
	sandbox := commerce{t: t, sandbox: origin + "/sandbox/" + name}
	sandbox.control(http.MethodPost, sandbox.sandbox+"/_control/reset", nil, nil)
	t.Cleanup(func() { sandbox.control(http.MethodDelete, origin+"/_control/sandboxes/"+name, nil, nil) })
	return sandbox
}

func (commerce commerce) till() Till {
	return Till{BaseURL: commerce.sandbox + "/next", APIKey: apiKey}
}

// ticket opens a Ticket, which the API itself cannot, and returns its id.
func (commerce commerce) ticket() string {
	commerce.t.Helper()
	var records struct{ Tickets []struct{ ID string } }
	given := map[string]any{"tickets": []map[string]string{{"location": "loc_bistro", "reference": "T-1"}}}
	commerce.control(http.MethodPost, commerce.sandbox+"/_control/records", given, &records)
	return records.Tickets[0].ID
}

// script adds a script entry: how the next calls of an operation are answered, delayed or lost.
func (commerce commerce) script(entry map[string]any) {
	commerce.t.Helper()
	commerce.control(http.MethodPost, commerce.sandbox+"/_control/script", entry, nil)
}

// control calls the control API; a refusal fails the test with the emulator's message.
func (commerce commerce) control(method, url string, given, result any) {
	commerce.t.Helper()
	var body io.Reader
	if given != nil {
		text, err := json.Marshal(given)
		if err != nil {
			commerce.t.Fatal(err)
		}
		body = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, url, body)
	if err != nil {
		commerce.t.Fatal(err)
	}
	if given != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		commerce.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		commerce.t.Fatal(err)
	}
	if response.StatusCode >= 300 {
		commerce.t.Fatalf("%s %s: %s", method, url, text)
	}
	if result != nil {
		if err := json.Unmarshal(text, result); err != nil {
			commerce.t.Fatal(err)
		}
	}
}
