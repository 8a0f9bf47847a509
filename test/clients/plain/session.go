// session.txt with net/http
package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"
)

func main() {
	session, _ := os.ReadFile(os.Getenv("COMMERCE_SESSION"))
	for _, line := range strings.Split(strings.TrimSpace(string(session)), "\n") {
		step := strings.Split(line, "|")
		status, key, method, path, form, wanted := step[0], step[1], step[2], step[3], step[4], step[5]
		values := url.Values{}
		for _, pair := range strings.Split(form, "&") {
			if name, value, found := strings.Cut(pair, "="); found {
				values.Set(name, value)
			}
		}
		request, _ := http.NewRequest(method, os.Getenv("COMMERCE_BASE_URL")+path, nil)
		if method == http.MethodPost {
			request.Body = io.NopCloser(strings.NewReader(values.Encode()))
			request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		} else {
			request.URL.RawQuery = values.Encode()
		}
		if key != "" {
			request.SetBasicAuth(os.Getenv("COMMERCE_API_KEY"), "")
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			log.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		if fmt.Sprint(answer.StatusCode) != status || !strings.Contains(string(text), wanted) || (wanted == "") != (len(text) == 0) {
			log.Fatalf("%s: %d %s", line, answer.StatusCode, text)
		}
	}
	fmt.Println("session complete")
}
