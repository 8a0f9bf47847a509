// One session at a point of sale, with the standard library alone: find a Ticket, split its payment over two cards, refund, look after a User.
//
// Reads COMMERCE_BASE_URL and COMMERCE_API_KEY, and COMMERCE_TICKET, the reference to look for (T-12 when left out).
package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"
)

var (
	baseURL   = os.Getenv("COMMERCE_BASE_URL")
	key       = os.Getenv("COMMERCE_API_KEY")
	reference = cmp.Or(os.Getenv("COMMERCE_TICKET"), "T-12")
	steps     int
)

// Record holds the fields of any resource that the session looks at.
type Record struct {
	ID            string            `json:"id"`
	Created       string            `json:"created"`
	Name          string            `json:"name"`
	Reference     string            `json:"reference"`
	Amount        int               `json:"amount"`
	Metadata      map[string]string `json:"metadata"`
	PaymentMethod struct {
		Card struct {
			Last4 string `json:"last4"`
		} `json:"card"`
	} `json:"payment_method"`
}

// Page is one page of a list.
type Page struct {
	Data    []Record `json:"data"`
	HasMore bool     `json:"has_more"`
	LastID  string   `json:"last_id"`
}

// Form holds parameters by their bracket names.
type Form map[string]string

func (form Form) values() url.Values {
	values := url.Values{}
	for name, value := range form {
		values.Set(name, value)
	}
	return values
}

func step(format string, parts ...any) {
	steps++
	fmt.Printf("%d. %s\n", steps, fmt.Sprintf(format, parts...))
}

func expect(holds bool, format string, parts ...any) {
	if !holds {
		log.Fatalf("expected "+format, parts...)
	}
}

// call makes a call and answers its status and body; GET sends the form as a query.
func call(method, path string, form Form, withKey bool) (int, []byte) {
	target, body := baseURL+path, io.Reader(nil)
	if method == http.MethodPost {
		body = strings.NewReader(form.values().Encode())
	} else if form != nil {
		target += "?" + form.values().Encode()
	}
	request, err := http.NewRequest(method, target, body)
	if err != nil {
		log.Fatal(err)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if withKey {
		request.SetBasicAuth(key, "")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		log.Fatal(err)
	}
	return response.StatusCode, answer
}

// carriedOut makes a call that must be answered with a 2xx, and reads its body.
func carriedOut[T any](method, path string, form Form, withKey bool) (answer T) {
	status, body := call(method, path, form, withKey)
	expect(status >= 200 && status < 300, "a 2xx from %s %s, not %d %s", method, path, status, body)
	if err := json.Unmarshal(body, &answer); err != nil {
		log.Fatal(err)
	}
	return answer
}

func post(path string, form Form) Record {
	return carriedOut[Record](http.MethodPost, path, form, true)
}

// all reads a list page after page until has_more is false; a page that a search emptied is not the end.
func all(path string, query Form) (records []Record) {
	form := Form{"limit": "5"}
	for name, value := range query {
		form[name] = value
	}
	for {
		page := carriedOut[Page](http.MethodGet, path, form, true)
		records = append(records, page.Data...)
		if !page.HasMore {
			return records
		}
		form["starting_after"] = page.LastID
	}
}

func findTicket(locations []Record) Record {
	for _, location := range locations {
		for _, ticket := range all("/tickets", Form{"location": location.ID, "search_query": reference}) {
			if ticket.Reference == reference {
				return ticket
			}
		}
	}
	log.Fatalf("expected a Ticket %s", reference)
	return Record{}
}

func pay(ticket Record, number string) Record {
	form := Form{"ticket": ticket.ID, "payment_type": "card", "currency": "usd", "amount": "2500",
		"card[number]": number, "card[expiry]": "12/34", "card[csc]": "123"}
	return carriedOut[Record](http.MethodPost, "/transactions", form, false)
}

func main() {
	log.SetFlags(0)

	locations := all("/locations", nil)
	expect(len(locations) > 0, "a Location")
	step("%d Locations", len(locations))

	ticket := findTicket(locations)
	step("Ticket %s is %s", ticket.ID, ticket.Reference)

	first, second := pay(ticket, "4242424242424242"), pay(ticket, "5555555555554444")
	step("paid without a key, split over two cards: %s and %s", first.ID, second.ID)

	transaction := carriedOut[Record](http.MethodGet, "/transactions/"+first.ID, nil, true)
	last4 := transaction.PaymentMethod.Card.Last4
	expect(last4 == "4242", "last4 to be 4242, not %s", last4)
	step("%s was paid with the card that ends in %s", transaction.ID, last4)

	part := post("/refunds", Form{"transaction": first.ID, "amount": "1000", "reason": "cold soup", "metadata[till]": "3", "metadata[shift]": "late"})
	rest := post("/refunds", Form{"transaction": first.ID})
	expect(part.Amount == 1000 && rest.Amount == 1500, "Refunds of 1000 and 1500")
	step("refunded in two parts: %d and the remaining %d", part.Amount, rest.Amount)

	status, _ := call(http.MethodPost, "/refunds", Form{"transaction": first.ID, "amount": "1"}, true)
	expect(status >= 400 && status < 500, "a third Refund to be refused, not %d", status)
	step("a third Refund is refused")

	changed := post("/refunds/"+part.ID, Form{"metadata[till]": "4"}).Metadata
	expect(changed["till"] == "4" && changed["shift"] == "late", "the till to be 4 and the shift as it was")
	unset := post("/refunds/"+part.ID, Form{"metadata[shift]": ""}).Metadata
	expect(unset["till"] == "4" && unset["shift"] == "", "the shift to be unset")
	step("metadata is changed, and a key of it unset")

	users := "/accounts/" + all("/accounts", nil)[0].ID + "/users"
	user := post(users, Form{"name": "Ana Núñez", "email": "ana+till@example.com"})
	isListed := false
	for _, other := range all(users, Form{"created[gte]": user.Created}) {
		isListed = isListed || other.ID == user.ID && other.Name == "Ana Núñez"
	}
	expect(isListed, "the User to be listed")
	status, body := call(http.MethodDelete, users+"/"+user.ID, nil, true)
	expect(status == 204 && len(body) == 0, "204 and an empty body, not %d", status)
	step("a User is added, listed and deleted")

	status, _ = call(http.MethodDelete, "/locations/"+locations[0].ID, nil, true)
	expect(status == 501, "501, not %d", status)
	step("deleting a Location is answered 501")

	fmt.Printf("session complete: %d steps\n", steps)
}
