/**
 * Shows the OpenAPI document in Swagger UI. A form starts with its example and sends nothing
 * else; requests have the first merchant's key.
 */
import tokens from '../styles/tokens.css?inline'
import css from './docs.css?inline'

type Operation = {
  requestBody?: {
    content: Record<string, { schema: { $ref: string }; example: Record<string, unknown> }>
  }
}
type OpenApi = {
  paths: Record<string, { post?: Operation }>
  components: {
    schemas: Record<string, { properties: Record<string, { examples?: unknown[] }> }>
  }
}
type Inclusion = { pathMethod: [string, string]; name: string; value: boolean }
type SwaggerUi = {
  oas3Actions: { setRequestBodyInclusion: (field: Inclusion) => void }
  preauthorizeBasic: (...names: string[]) => void
}

declare global {
  interface Window {
    SwaggerUIBundle: (options: object) => SwaggerUi
  }
}

const { SwaggerUIBundle } = window
const { document: address = '', key } = document.body.dataset

async function show(): Promise<void> {
  const spec: OpenApi = await (await fetch(address)).json()
  const fields: Inclusion[] = []
  for (const [path, { post }] of Object.entries(spec.paths)) {
    for (const { schema, example } of Object.values(post?.requestBody?.content ?? {})) {
      const properties =
        spec.components.schemas[schema.$ref.split('/').pop() ?? '']?.properties ?? {}
      for (const [name, property] of Object.entries(properties)) {
        property.examples = [example[name] ?? '']
        fields.push({ pathMethod: [path, 'post'], name, value: name in example })
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
    requestInterceptor: (sent: object) => ({ ...sent, credentials: 'omit' }),
    onComplete: () => {
      for (const field of fields) ui.oas3Actions.setRequestBodyInclusion(field)
      if (key) ui.preauthorizeBasic('apiKey', key, '')
    }
  })
}

const sheet = new CSSStyleSheet()
sheet.replaceSync(tokens + css)
document.adoptedStyleSheets = [sheet]

const dark = matchMedia('(prefers-color-scheme: dark)')
const followSystem = () => document.documentElement.classList.toggle('dark-mode', dark.matches)

followSystem()
dark.addEventListener('change', followSystem)
void show()
