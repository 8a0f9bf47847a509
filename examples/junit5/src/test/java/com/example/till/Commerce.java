package com.example.till;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** A sandbox of commerce-emulator for one test: {@code @ExtendWith(Commerce.Sandbox.class)}, and a parameter of this type. */
public final class Commerce implements ExtensionContext.Store.CloseableResource {
  private static final String COMMERCE_URL = System.getenv().getOrDefault("COMMERCE_URL", "http://localhost:4010");
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static final ObjectMapper JSON = new ObjectMapper();

  private final String name = "junit-" + UUID.randomUUID();

  public final String baseUrl = COMMERCE_URL + "/sandbox/" + name + "/next";
  public final String apiKey = "sk_test_merchant";

  private Commerce() {
    // makes the sandbox, in the scenario's initial state
    control("POST", "/reset", null);
  }

  /** Opens a Ticket, which the API itself cannot, and returns its id. */
  public String ticket() {
    var given = Map.of("tickets", List.of(Map.of("location", "loc_bistro", "reference", "T-1")));
    return control("POST", "/records", given).at("/tickets/0/id").asText();
  }

  /** Adds a script entry: how the next calls of an operation are answered, delayed or lost. */
  public void script(Map<String, ?> entry) {
    control("POST", "/script", entry);
  }

  /** Calls the control API of the sandbox; a refusal fails the test with the emulator's message. */
  public JsonNode control(String method, String path, Object body) {
    return send(method, "/sandbox/" + name + "/_control" + path, body);
  }

  /** Removes the sandbox when its test is over. */
  @Override
  public void close() {
    send("DELETE", "/_control/sandboxes/" + name, null);
  }

  private static JsonNode send(String method, String path, Object body) {
    try {
      var publisher = body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(JSON.writeValueAsString(body));
      var request = HttpRequest.newBuilder(URI.create(COMMERCE_URL + path)).method(method, publisher);
      if (body != null) request.header("content-type", "application/json");
      var response = CLIENT.send(request.build(), BodyHandlers.ofString());
      if (response.statusCode() >= 300) throw new AssertionError(response.body());
      return JSON.readTree(response.body());
    } catch (IOException error) {
      throw new AssertionError("commerce-emulator cannot be reached at " + COMMERCE_URL, error);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new AssertionError(error);
    }
  }

  /** Gives each test that asks for one a sandbox of its own, so that tests run in parallel. */
  public static final class Sandbox implements ParameterResolver {
    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
      return parameter.getParameter().getType() == Commerce.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
      return test.getStore(Namespace.create(Commerce.class, test.getUniqueId())).getOrComputeIfAbsent(Commerce.class, key -> new Commerce());
    }
  }
}
