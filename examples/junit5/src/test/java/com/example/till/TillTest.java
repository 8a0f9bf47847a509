package com.example.till;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ExtendWith(Commerce.Sandbox.class)
class TillTest {
  @ParameterizedTest
  @CsvSource({"1000, refund_exceeds_remaining", "3000, charge_already_refunded"})
  void aPaymentIsRefundedInPartAndNeverBeyondWhatWasPaid(long amount, String code, Commerce commerce) {
    var till = new Till(commerce.baseUrl, commerce.apiKey);
    var payment = till.pay(commerce.ticket(), 3000).get("id").asText();

    till.refund(payment, amount);

    var refused = assertThrows(Refused.class, () -> till.refund(payment, 3001 - amount));
    assertEquals(code, refused.code);
    assertEquals(amount, till.payment(payment).get("amount_refunded").asLong());
  }

  @Test
  void aDeclinedCardPaysNothing(Commerce commerce) {
    var till = new Till(commerce.baseUrl, commerce.apiKey);
    var ticket = commerce.ticket();
    var error = Map.of("type", "card_error", "code", "card_declined", "message", "The card was declined.");
    commerce.script(Map.of("on", "POST /transactions", "calls", 1, "respond", Map.of("status", 402, "error", error)));

    var refused = assertThrows(Refused.class, () -> till.pay(ticket, 3000));

    assertEquals("card_declined", refused.code);
    assertEquals(3000, till.pay(ticket, 3000).get("amount").asLong());
  }
}
