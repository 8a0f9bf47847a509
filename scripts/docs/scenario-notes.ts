/** What the sections of docs/reference/scenario-language.md say next to their tables. */

export const SCENARIO_NOTES = `They take effect in this order: \`fixtures\`, \`data\`, \`generate\`, \`steps\`. Then \`script\` and \`expect\` apply to the requests of your clients.

- A later record replaces the whole earlier record with the same id, even fields that it leaves out; a later API key replaces the same key.
- A name under \`fixtures\` is searched in your own folder first (\`--fixtures-dir\`), then among the built-in ones: \`bistro\` and \`empty\`. A path must stay inside the fixtures and scenarios folders or the file's own folder. A scenario that is sent over HTTP may name fixtures, but not paths.
- \`seed\` determines ids, keys, generated records, chances and random delays; it is 1 when left out, and \`--seed\` takes precedence. With a frozen clock, the same scenario, seed and requests give the same bytes.
- \`clock\` sets \`created\`. An instant alone, or \`{ now, running: false }\`, is a frozen clock; \`{ now }\` runs from there.`

export const SECTION_NOTES: Readonly<Record<string, string>> = {
  generate: `Each entry is for one family. Entries are processed in order, so list Tickets before the Transactions that pay them.

- Tickets and Transactions are at the first Location, Users and Locations belong to the first merchant, unless the entry names another.
- \`created\` is now when left out, and \`payment_types\` all seven. A Transaction pays a Ticket of its Location that was created no later than itself.`,
  script: `For each request the entries are tried in order. The script runs after the key and the parameters were checked: a request that these checks refuse is neither matched nor counted. An entry needs \`respond\`, \`change\`, \`stale\`, \`delay\`, \`fault\` or \`hold\`; with only a delay or a hold, the operation runs afterwards.

- **on** is a method and a path as the reference writes them, \`GET /tickets/{id}\`.
- **calls** selects among all requests that fit \`on\` and \`match\`. Every entry counts each request that it matches, whichever entry is applied.
- **per** makes \`calls\`, \`chance\` and \`for\` count separately for each value. A request without a value is neither counted nor matched. An entry counts 1,000 values; it is not applied to requests with further values, and the list of the script says how many there were (\`uncounted\`).
- **chance** is drawn from the seed and the entry's \`name\`, or from its content if it has no name.
- **for** begins with the first request that the entry was applied to: with \`calls: 2+\`, the second.
- **after** may name an entry of a group under \`use\` too.
- **hold** ends with a reset, a load, a restored snapshot or the end of the emulator: the request then has no effect and gets no response.
- **delay** is a duration such as \`250ms\`, \`2s\` or \`PT2S\`, at most ten minutes.
- **respond** replaces the operation, and nothing is changed. An \`error\` gets the \`request_id\`. \`body: ""\` sends no body. Headers that frame the message, such as Content-Length, are set by the emulator only.
- **respond.patch** ([RFC 7396](https://www.rfc-editor.org/rfc/rfc7396)) changes a 2xx with a body; \`status\` and \`headers\` are changed with it, and \`body\`, \`error\` and \`fault\` cannot be combined with it. The operation takes effect, but the response counts for none of its rules.
- **change** changes records before the operation or the response of \`respond\`, or with \`when: after\` after the operation, whatever it responds. A change that fails when the entry is applied changes nothing: the request continues, says why under \`script.problem\`, and raises the finding \`change-not-made\`. A record without an \`id\` is created each time; an id that was deleted before is not an error. A change names at most 100 records, and no API keys.
- **stale** is for GETs only, and cannot be combined with what prevents the operation. Settings, keys and the check of cursors are current. The emulator knows as many changes as \`limits.journal\` allows, at least 100; before them, before the last load or reset, and before a restart with \`--data\`, it shows the oldest known state.
- **fault** with \`when: before\`, the default, prevents the operation, and also loses the response of \`respond\`. \`when: after\` lets the request take effect first, and cannot be combined with \`respond\`.

An entry that can never apply is refused when the scenario is loaded: an operation or a parameter that the reference does not have, a \`body\` on a GET, an operation that always returns 501, a value that no valid request has (\`payment_type: visa\`), a comparison of text, an invalid pattern, or an entry after an entry that applies to every request of the same operation.

A running emulator takes entries with \`POST /_control/script\`; they go last. \`GET /_control/script\` shows how many requests each entry matched and was applied to, and which nearly matched: [near misses](../evidence.md#near-misses).`,
  steps: `The same checks and rules apply as to any request. If a step does not get the response that it expects, the whole load fails.

- Lists in \`expect.body\` must have the same length, and values are compared strictly: \`"600"\` is not \`600\`.
- \`\${payment.id}\` is a field of the response that \`as: payment\` names, \`\${page.data.0.id}\` one by its position in a list. A reference that is the whole value keeps its type.
- \`\${tkt_60}\` is a record's id, which \`check --var\` can replace.
- The first merchant's key is the first in the order of the document. \`POST /transactions\` is sent without a key unless \`key\` is set.
- \`null\` is sent as an empty value.`,
  play: `A load does not play them. A play may refer to the responses of steps. Against a running service \`check\` really waits, ten minutes at most.`,
  expect: `A running emulator counts the requests of its clients since the last load or reset, refused ones too; \`on: "*"\` also counts requests that matched no operation. Steps are not counted. \`POST /_control/verify\` compares them with \`expect\`, or with the expectation in its body.

- The journal keeps \`User-Agent\` and the header of the test, so a body of \`POST /_control/verify\` can match only these headers; a scenario can match any.
- \`\${pay.id}\`, in \`match\` and in \`state\`, comes from the response to the step or play with \`as: pay\`.
- **took_effect**, **answered**, **status** and **response** are known when the request has ended, and it is counted then. \`status\` is a number, \`2xx\`, or a list.
- **per**: \`times\` or the \`sequence\` must hold for each value that was seen, and at least one value must be seen unless 0 is allowed; requests without a value are judged together. 1,000 values are counted; a verdict says when there were more.
- **no_sooner_than** and **no_later_than** limit the time from the end of the previous response (with \`per\`, of the same value; in a \`sequence\`, of the previous step) to the arrival of the request. Without \`times\` they mean \`times: 2+\`.
- **Verdicts**: \`met\`; \`unmet\`; \`never exercised\` if no request came to judge it by, which fails too. A reference to a step or play that was not sent is never met.
- **state** is judged once a request came. In a condition, a field that is null counts as having no value. A value that a field can never have, a field or an id that does not exist, and an empty \`state\` are refused when the scenario is loaded.`,
  match: `Names are nested or in brackets. Without a condition, a parameter that was not sent matches nothing.

- Values are compared as text. A list matches any of its items. \`/…/\` is a regular expression (RE2 syntax, \`i\` ignores case) that matches anywhere in the value; how long both may be: [limits](../limits.md).
- \`gt\`, \`gte\`, \`lt\` and \`lte\` compare numbers and instants. \`{ not: visa }\` holds for every other value, and for a parameter that was not sent. \`{ present: false }\` holds for a parameter that was not sent; an object such as \`card\` can be tested too.
- **about**: a payment is about its Ticket, the Ticket's Location, and that Location's Account; a Refund is about its Transaction, and so on. A request that names no record is about the Account of its key.
- \`headers: { Test-Name: … }\` picks the requests of a test; its name is matched decoded, as the journal shows it.
- Card data can be matched; the emulator keeps a digest of it.`
}

export const FIXTURE_NOTES = `Records under the names that the API returns; [the resources](api.md#resources) say what each field is. \`data\` of a scenario takes the same names. You can load a fixture wherever you can load a scenario, and \`GET /_control/state\` returns one: save it, edit it, load it again.

Without \`id\` a record gets a generated id, and without \`created\` the clock's time; other optional fields are null. Ids consist of letters, digits, \`_\` and \`-\`. \`extra\` holds further fields, which the API returns unchanged; a name that the API itself returns is refused there. A name with * is required, but may be null.`
