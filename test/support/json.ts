/** A parsed JSON or YAML document. */
// biome-ignore lint/suspicious/noExplicitAny: the shape of an answer is what a test asserts, so it cannot be a type that the test relies on
export type Json = any
