import java.util.Base64;
import java.util.Objects;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.RefundsApi;
import org.openapitools.client.api.TicketsApi;
import org.openapitools.client.api.TransactionsApi;

/** The session of the README with openapi-generator's Java client, its library `native`, and the document; it sends no metadata. */
public class GeneratorJava {
    static void expect(String what, Object found, Object wanted) {
        if (!Objects.equals(found, wanted)) throw new IllegalStateException(what + ": " + wanted + " was expected, not " + found);
    }

    public static void main(String[] arguments) throws ApiException {
        ApiClient client = new ApiClient();
        client.updateBaseUri(System.getenv("COMMERCE_BASE_URL"));
        String key = Base64.getEncoder().encodeToString((System.getenv("COMMERCE_API_KEY") + ":").getBytes());
        client.setRequestInterceptor(request -> request.header("Authorization", "Basic " + key));
        RefundsApi refunds = new RefundsApi(client);

        var found = new TicketsApi(client).listTickets(100L, null, null, "loc_bistro", "T-12", null, null, null, "2026-02-01");
        expect("Tickets", found.getData().get(0).getId(), "tkt_12");

        var paid = new TransactionsApi(client).createTransaction("tkt_12", "card", null, null, null, "visa", null, "4242424242424242", null, null, null,
            null, null, null, 3000L, null, null, null, null, null, null, null, null, null);
        expect("the payment", paid.getAmount() + " " + paid.getPaymentMethod().getCard().getLast4(), "3000 4242");
        var part = refunds.createRefund(paid.getId(), 1000L, "cold soup");
        expect("a part", part.getAmount() + " " + part.getReason(), "1000 cold soup");
        try {
            refunds.createRefund(paid.getId(), 2500L, null);
            throw new IllegalStateException("too much was refunded");
        } catch (ApiException refusal) {
            expect("too much", refusal.getCode() + " " + refusal.getResponseBody().contains("refund_exceeds_remaining"), "400 true");
        }
        System.out.println("session complete");
    }
}
