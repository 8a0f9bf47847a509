// @ts-check
/** Shows the OpenAPI document in Swagger UI. A form starts with its first example and sends nothing else; calls are tried with the first merchant's key. */

const { SwaggerUIBundle } = /** @type {any} */ (window)
const { document: address = '', key } = document.body.dataset
const spec = await (await fetch(address)).json()

/** @type {{ pathMethod: [string, string], name: string, value: boolean }[]} */
const fields = []
for (const [path, { post }] of Object.entries(spec.paths)) {
  for (const { schema, examples } of Object.values(post?.requestBody?.content ?? {})) {
    const { properties } = spec.components.schemas[schema.$ref.split('/').pop()]
    const [{ value }] = Object.values(examples)
    for (const [name, property] of Object.entries(properties)) {
      property.examples = [value[name] ?? (property.$ref ? {} : '')]
      fields.push({ pathMethod: [path, 'post'], name, value: name in value })
    }
  }
}

const ui = SwaggerUIBundle({
  spec,
  dom_id: '#docs',
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  onComplete: () => {
    for (const field of fields) ui.oas3Actions.setRequestBodyInclusion(field)
    if (key) ui.preauthorizeBasic('apiKey', key, '')
  }
})
