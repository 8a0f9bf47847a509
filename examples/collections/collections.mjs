/** Postman and Bruno collections of an OpenAPI document. */
const NAME = 'Commerce Service API, emulated'
const VARIABLES = {
  baseUrl: 'http://localhost:4010/next',
  controlUrl: 'http://localhost:4010/_control',
  apiKey: 'sk_test_merchant'
}
/** Calls of the control API, which the document does not hold. The first begins a run in the scenario's initial state. */
const CONTROL = [
  ['reset', 'POST', '/reset', 'Back to the initial state'],
  ['requests', 'GET', '/requests', 'The calls since then'],
  ['findings', 'GET', '/findings', 'Mistakes of the client'],
  ['coverage', 'GET', '/coverage', 'Rules that the calls exercised']
]

/**
 * The files of both collections, path to text. A request has the fields of its example; the other fields and parameters of the call are there, but disabled.
 */
export function collectionsOf(document) {
  const control = CONTROL.map(([id, method, path, name]) => ({
    ...{ id, name, method, path, base: 'controlUrl', key: false, status: 200 },
    ...{ params: [], query: [], form: [] }
  }))
  const folders = [
    { name: 'control', requests: control },
    ...document.tags.map(({ name }) => ({ name, requests: requestsOf(document, name) }))
  ]
  return {
    'commerce.postman_collection.json': `${JSON.stringify(postman(folders), null, 2)}\n`,
    ...bruno(folders)
  }
}

function requestsOf(document, tag) {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { tags }]) => tags?.includes(tag))
      .map(
        ([method, { operationId, summary, parameters = [], requestBody, responses, security }]) => {
          const media = requestBody?.content['application/x-www-form-urlencoded']
          return {
            id: operationId,
            name: summary,
            method: method.toUpperCase(),
            base: 'baseUrl',
            path,
            key: security?.length !== 0,
            status: Number(
              '501' in responses
                ? '501'
                : Object.keys(responses).find(status => status.startsWith('2'))
            ),
            params: parameters
              .filter(one => one.in === 'path')
              .map(({ name, example }) => ({ name, value: String(example) })),
            query: parameters
              .filter(one => one.in === 'query')
              .map(({ name, example }) => field(name, example)),
            form: media ? formOf(document, media) : []
          }
        }
      )
  )
}

/** A field without an example is disabled. */
const field = (name, example) => ({
  name,
  value: example === undefined ? '' : String(example),
  disabled: example === undefined
})

/** The fields of the example, then the others of the schema. */
function formOf(document, { schema, example }) {
  const { properties } = document.components.schemas[schema.$ref.split('/').at(-1)]
  const names = new Set([...Object.keys(example), ...Object.keys(properties)])
  return [...names].map(name => field(name, example[name]))
}

function postman(folders) {
  return {
    info: {
      name: NAME,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'
    },
    auth: {
      type: 'basic',
      basic: [
        { key: 'username', value: '{{apiKey}}', type: 'string' },
        { key: 'password', value: '', type: 'string' }
      ]
    },
    variable: Object.entries(VARIABLES).map(([key, value]) => ({ key, value })),
    item: folders.map(({ name, requests }) => ({ name, item: requests.map(postmanItem) }))
  }
}

function postmanItem({ name, method, base, path, key, status, params, query, form }) {
  const pairs = fields =>
    fields.map(({ name, value, disabled }) => ({ key: name, value, ...(disabled && { disabled }) }))
  const enabled = query
    .filter(({ disabled }) => !disabled)
    .map(({ name, value }) => `${name}=${value}`)
  const path_ = path.replaceAll(/\{(\w+)\}/g, ':$1')
  return {
    name,
    event: [
      {
        listen: 'test',
        script: {
          type: 'text/javascript',
          exec: [`pm.test('status ${status}', () => pm.response.to.have.status(${status}))`]
        }
      }
    ],
    request: {
      method,
      ...(!key && { auth: { type: 'noauth' } }),
      url: {
        raw: `{{${base}}}${path_}${enabled.length > 0 ? `?${enabled.join('&')}` : ''}`,
        host: [`{{${base}}}`],
        path: path_.slice(1).split('/'),
        ...(query.length > 0 && { query: pairs(query) }),
        ...(params.length > 0 && { variable: pairs(params) })
      },
      ...(form.length > 0 && { body: { mode: 'urlencoded', urlencoded: pairs(form) } })
    }
  }
}

function bruno(folders) {
  const files = {
    'bruno/bruno.json': `${JSON.stringify({ version: '1', name: NAME, type: 'collection' }, null, 2)}\n`,
    'bruno/collection.bru': blocks({
      auth: Object.entries({ mode: 'basic' }),
      'auth:basic': Object.entries({ username: '{{apiKey}}', password: '' })
    }),
    'bruno/environments/local.bru': blocks({ vars: Object.entries(VARIABLES) })
  }
  for (const [number, { name, requests }] of folders.entries()) {
    files[`bruno/${name}/folder.bru`] = blocks({ meta: Object.entries({ name, seq: number + 1 }) })
    for (const [place, request] of requests.entries())
      files[`bruno/${name}/${request.id}.bru`] = brunoRequest(request, place + 1)
  }
  return files
}

function brunoRequest({ name, method, base, path, key, status, params, query, form }, place) {
  const pairs = fields =>
    fields.map(({ name, value, disabled }) => [`${disabled ? '~' : ''}${name}`, value])
  const enabled = query
    .filter(({ disabled }) => !disabled)
    .map(({ name, value }) => `${name}=${value}`)
  const url = `{{${base}}}${path.replaceAll(/\{(\w+)\}/g, ':$1')}${enabled.length > 0 ? `?${enabled.join('&')}` : ''}`
  return blocks({
    meta: Object.entries({ name, type: 'http', seq: place }),
    [method.toLowerCase()]: Object.entries({
      url,
      body: form.length > 0 ? 'formUrlEncoded' : 'none',
      auth: key ? 'inherit' : 'none'
    }),
    'params:query': pairs(query),
    'params:path': pairs(params),
    'body:form-urlencoded': pairs(form),
    assert: Object.entries({ 'res.status': `eq ${status}` })
  })
}

/** Blocks of Bruno's markup language, those that are empty left out. */
function blocks(named) {
  const filled = Object.entries(named).filter(([, pairs]) => pairs.length > 0)
  return filled
    .map(
      ([name, pairs]) =>
        `${name} {\n${pairs.map(([key, value]) => `  ${key}: ${value}`.trimEnd()).join('\n')}\n}\n`
    )
    .join('\n')
}
