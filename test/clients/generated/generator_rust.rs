// The session of the README with openapi-generator's Rust client, without async, and the document; it sends no metadata.
use commerce::apis::configuration::Configuration;
use commerce::apis::{refunds_api, tickets_api, transactions_api, Error};
use std::env::var;

fn main() {
    let anyone = Configuration { base_path: var("COMMERCE_BASE_URL").unwrap(), ..Configuration::new() };
    let key = Configuration { basic_auth: Some((var("COMMERCE_API_KEY").unwrap(), None)), ..anyone.clone() };

    let found =
        tickets_api::list_tickets(&key, Some(100), None, None, Some("loc_bistro"), Some("T-12"), None, None, None, Some("2026-02-01")).unwrap();
    assert_eq!((found.data.len(), found.data[0].id.as_str()), (1, "tkt_12"));

    let paid = transactions_api::create_transaction(
        &anyone, "tkt_12", "card", None, None, None, Some("visa"), None, Some("4242424242424242"), None, None, None, None, None, None, Some(3000),
        None, None, None, None, None, None, None, None, None,
    )
    .unwrap();
    assert_eq!((paid.amount, paid.payment_method.card.unwrap().last4.as_deref()), (3000, Some("4242")));
    let part = refunds_api::create_refund(&key, &paid.id, Some(1000), Some("cold soup")).unwrap();
    assert_eq!((part.amount, part.reason.as_deref()), (1000, Some("cold soup")));
    match refunds_api::create_refund(&key, &paid.id, Some(2500), None) {
        Err(Error::ResponseError(refusal)) => {
            assert_eq!(refusal.status.as_u16(), 400);
            assert!(refusal.content.contains("refund_exceeds_remaining"));
        }
        other => panic!("too much was refunded: {other:?}"),
    }
    println!("session complete");
}
