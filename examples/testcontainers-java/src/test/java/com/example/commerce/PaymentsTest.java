package com.example.commerce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;

@Testcontainers
class PaymentsTest {
  @Container
  static final CommerceEmulatorContainer COMMERCE = new CommerceEmulatorContainer().withScenario("default");

  @BeforeEach
  void reset() throws Exception {
    COMMERCE.reset();
  }

  @Test
  void aPaymentByCardIsChargedInCents() throws Exception {
    String form = "ticket=tkt_60&payment_type=card&amount=4200&card[brand]=visa&card[last4]=4242";
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(COMMERCE.getBaseUrl() + "/transactions"))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString(form))
            .build();

    HttpResponse<String> response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());

    assertEquals(200, response.statusCode());
    assertTrue(response.body().contains("\"amount\":4200"), response.body());
  }
}
