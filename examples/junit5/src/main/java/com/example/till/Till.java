package com.example.till;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Base64;
import java.util.Map;
import java.util.stream.Collectors;

/** The code under test: what a till does with the Commerce Service. Amounts are in cents. */
public final class Till {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient client = HttpClient.newHttpClient();
  private final String baseUrl;
  private final String authorization;

  public Till(String baseUrl, String apiKey) {
    this.baseUrl = baseUrl;
    this.authorization = "Basic " + Base64.getEncoder().encodeToString((apiKey + ":").getBytes(UTF_8));
  }

  /** Charges a card; this call needs no key. */
  public JsonNode pay(String ticket, long amount) {
    var form = Map.of(
        "ticket", ticket,
        "payment_type", "card",
        "amount", Long.toString(amount),
        "card[brand]", "visa",
        "card[token]", "tok_visa",
        "card[last4]", "4242");
    return call(post("/transactions", form));
  }

  public JsonNode payment(String id) {
    return call(request("/transactions/" + id).header("authorization", authorization));
  }

  /** Gives money back. */
  public JsonNode refund(String payment, long amount) {
    var form = Map.of("transaction", payment, "amount", Long.toString(amount));
    return call(post("/refunds", form).header("authorization", authorization));
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(baseUrl + path));
  }

  private HttpRequest.Builder post(String path, Map<String, String> form) {
    var body = form.entrySet().stream()
        .map(field -> URLEncoder.encode(field.getKey(), UTF_8) + "=" + URLEncoder.encode(field.getValue(), UTF_8))
        .collect(Collectors.joining("&"));
    return request(path).header("content-type", "application/x-www-form-urlencoded").POST(BodyPublishers.ofString(body));
  }

  private JsonNode call(HttpRequest.Builder request) {
    try {
      var response = client.send(request.build(), BodyHandlers.ofString());
      var body = JSON.readTree(response.body());
      if (response.statusCode() == 200) return body;
      throw new Refused(response.statusCode(), body.at("/error/code").asText(), body.at("/error/message").asText());
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(error);
    }
  }
}
