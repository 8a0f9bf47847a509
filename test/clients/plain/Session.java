import java.net.URI;
import java.net.URLEncoder;
import java.net.http.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.stream.Collectors;

/** session.txt with HttpClient. */
class Session {
  public static void main(String[] args) throws Exception {
    var client = HttpClient.newHttpClient();
    var credentials = (System.getenv("COMMERCE_API_KEY") + ":").getBytes(StandardCharsets.UTF_8);
    for (var line : Files.readAllLines(Path.of(System.getenv("COMMERCE_SESSION")))) {
      var step = line.split("\\|", -1);
      String status = step[0], key = step[1], method = step[2], path = step[3], wanted = step[5];
      var form = Arrays.stream(step[4].split("&")).filter(pair -> !pair.isEmpty()).map(pair -> pair.split("=", 2))
          .map(pair -> encoded(pair[0]) + "=" + encoded(pair[1])).collect(Collectors.joining("&"));
      var isPost = method.equals("POST");
      var uri = URI.create(System.getenv("COMMERCE_BASE_URL") + path + (isPost || form.isEmpty() ? "" : "?" + form));
      var request = HttpRequest.newBuilder(uri).method(method, isPost ? HttpRequest.BodyPublishers.ofString(form) : HttpRequest.BodyPublishers.noBody());
      if (isPost) request.header("Content-Type", "application/x-www-form-urlencoded");
      if (!key.isEmpty()) request.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(credentials));
      var answer = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
      var isRight = answer.statusCode() == Integer.parseInt(status) && (wanted.isEmpty() ? answer.body().isEmpty() : answer.body().contains(wanted));
      if (!isRight) throw new IllegalStateException(line + ": " + answer.statusCode() + " " + answer.body());
    }
    System.out.println("session complete");
  }

  static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
