/** A parsed JSON or YAML document. */
// biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of a response, so it cannot be a type that the test relies on
export type Json = any
