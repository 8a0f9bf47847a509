import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * One session at a point of sale, with the standard library alone: find a Ticket, split its payment over two cards, refund, look after a User.
 * Reads COMMERCE_BASE_URL and COMMERCE_API_KEY, and COMMERCE_TICKET, the reference to look for (T-12 when left out).
 * The library has no JSON reader, so the few members that the session looks at are found in the text.
 */
class PosSession {
  static final String BASE_URL = System.getenv("COMMERCE_BASE_URL");
  static final String KEY = "Basic " + Base64.getEncoder().encodeToString((System.getenv("COMMERCE_API_KEY") + ":").getBytes(StandardCharsets.UTF_8));
  static final String REFERENCE = System.getenv().getOrDefault("COMMERCE_TICKET", "T-12");
  static final HttpClient CLIENT = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(30)).build();
  static int steps = 0;

  public static void main(String[] args) throws Exception {
    var locations = all("/locations", Map.of());
    expect(!locations.isEmpty(), "a Location");
    step(locations.size() + " Locations");

    var ticket = findTicket(locations);
    step("Ticket " + ticket.get("id") + " is " + ticket.get("reference"));

    var first = pay(ticket.get("id"), "4242424242424242");
    var second = pay(ticket.get("id"), "5555555555554444");
    step("paid without a key, split over two cards: " + first.get("id") + " and " + second.get("id"));

    var transaction = read(carriedOut("GET", "/transactions/" + first.get("id"), Map.of(), true));
    expect(transaction.get("last4").equals("4242"), "last4 to be 4242");
    step(transaction.get("id") + " was paid with the card that ends in " + transaction.get("last4"));

    var part = post("/refunds", Map.of("transaction", first.get("id"), "amount", "1000", "reason", "cold soup", "metadata[till]", "3", "metadata[shift]", "late"));
    var rest = post("/refunds", Map.of("transaction", first.get("id")));
    expect(part.get("amount").equals("1000") && rest.get("amount").equals("1500"), "Refunds of 1000 and 1500");
    step("refunded in two parts: " + part.get("amount") + " and the remaining " + rest.get("amount"));

    int third = call("POST", "/refunds", Map.of("transaction", first.get("id"), "amount", "1"), true).statusCode();
    expect(third >= 400 && third < 500, "a third Refund to be refused, not " + third);
    step("a third Refund is refused");

    var changed = post("/refunds/" + part.get("id"), Map.of("metadata[till]", "4"));
    expect("4".equals(changed.get("till")) && "late".equals(changed.get("shift")), "the till to be 4 and the shift as it was");
    var unset = post("/refunds/" + part.get("id"), Map.of("metadata[shift]", ""));
    expect("4".equals(unset.get("till")) && !unset.containsKey("shift"), "the shift to be unset");
    step("metadata is changed, and a key of it unset");

    var users = "/accounts/" + all("/accounts", Map.of()).get(0).get("id") + "/users";
    var user = post(users, Map.of("name", "Ana Núñez", "email", "ana+till@example.com"));
    var listed = all(users, Map.of("created[gte]", user.get("created")));
    expect(listed.stream().anyMatch(other -> other.get("id").equals(user.get("id")) && other.get("name").equals("Ana Núñez")), "the User to be listed");
    var gone = call("DELETE", users + "/" + user.get("id"), Map.of(), true);
    expect(gone.statusCode() == 204 && gone.body().isEmpty(), "204 and an empty body, not " + gone.statusCode());
    step("a User is added, listed and deleted");

    int disabled = call("DELETE", "/locations/" + locations.get(0).get("id"), Map.of(), true).statusCode();
    expect(disabled == 501, "501, not " + disabled);
    step("deleting a Location is answered 501");

    System.out.println("session complete: " + steps + " steps");
  }

  static void step(String text) {
    System.out.println(++steps + ". " + text);
  }

  static void expect(boolean holds, String what) {
    if (!holds) throw new IllegalStateException("expected " + what);
  }

  /** Makes a call; GET sends the parameters, by their bracket names, as a query. */
  static HttpResponse<String> call(String method, String path, Map<String, String> parameters, boolean withKey) throws Exception {
    var encoded = parameters.entrySet().stream().map(each -> encode(each.getKey()) + "=" + encode(each.getValue())).collect(Collectors.joining("&"));
    var isPost = method.equals("POST");
    var request = HttpRequest.newBuilder(URI.create(BASE_URL + path + (isPost || encoded.isEmpty() ? "" : "?" + encoded))).timeout(Duration.ofSeconds(30));
    request.method(method, isPost ? BodyPublishers.ofString(encoded) : BodyPublishers.noBody());
    if (isPost) request.header("Content-Type", "application/x-www-form-urlencoded");
    if (withKey) request.header("Authorization", KEY);
    return CLIENT.send(request.build(), BodyHandlers.ofString());
  }

  static String carriedOut(String method, String path, Map<String, String> parameters, boolean withKey) throws Exception {
    var answer = call(method, path, parameters, withKey);
    expect(answer.statusCode() / 100 == 2, "a 2xx from " + method + " " + path + ", not " + answer.statusCode() + " " + answer.body());
    return answer.body();
  }

  static Map<String, String> post(String path, Map<String, String> form) throws Exception {
    return read(carriedOut("POST", path, form, true));
  }

  static Map<String, String> pay(String ticket, String number) throws Exception {
    var form = Map.of("ticket", ticket, "payment_type", "card", "currency", "usd", "amount", "2500",
        "card[number]", number, "card[expiry]", "12/34", "card[csc]", "123");
    return read(carriedOut("POST", "/transactions", form, false));
  }

  static Map<String, String> findTicket(List<Map<String, String>> locations) throws Exception {
    for (var location : locations) {
      for (var ticket : all("/tickets", Map.of("location", location.get("id"), "search_query", REFERENCE))) {
        if (ticket.get("reference").equals(REFERENCE)) return ticket;
      }
    }
    throw new IllegalStateException("expected a Ticket " + REFERENCE);
  }

  /** Every record of a list, page after page until has_more is false; a page that a search emptied is not the end. */
  static List<Map<String, String>> all(String path, Map<String, String> query) throws Exception {
    var records = new ArrayList<Map<String, String>>();
    var parameters = new LinkedHashMap<>(query);
    parameters.put("limit", "5");
    for (;;) {
      var page = carriedOut("GET", path, parameters, true);
      var data = page.substring(page.indexOf("\"data\":[") + 8, page.lastIndexOf("],\"has_more\""));
      for (var record : data.split("(?=\\{\"id\":)")) if (!record.isEmpty()) records.add(read(record));
      if (!page.contains("\"has_more\":true")) return records;
      parameters.put("starting_after", read(page).get("last_id"));
    }
  }

  static final Pattern MEMBER = Pattern.compile("\"(\\w+)\":(?:\"([^\"]*)\"|(\\d+))");

  /** The first value of each member that is text or a whole number, at whatever depth. */
  static Map<String, String> read(String json) {
    var values = new LinkedHashMap<String, String>();
    Matcher member = MEMBER.matcher(json);
    while (member.find()) values.putIfAbsent(member.group(1), member.group(2) != null ? member.group(2) : member.group(3));
    return values;
  }

  static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
