/** The parameters of the API's lists, read from the OpenAPI document. */
import { valueAt } from '../../../../core/templates.js'
import type { Cursors } from '../../../../reference/parameters.js'
import type { Family } from '../../control/client.js'
import { addressOf } from '../form.js'
import type { AnyRecord } from './records.js'

type Schema = {
  $ref?: string
  enum?: readonly string[]
  properties?: Readonly<Record<string, Schema>>
  description?: string
}
type Parameter = { name: string; in: string; description?: string; schema: Schema; style?: string }
export type OpenApi = {
  paths: Readonly<Record<string, { get?: { parameters: readonly Parameter[] } }>>
  components: { schemas: Readonly<Record<string, Schema>> }
}
/** The path of a family's list; Users are listed by Account. */
export const listPath = (family: Family): string =>
  family === 'users' ? '/accounts/{id}/users' : `/${family}`

/** Those of a family's list, but for the cursors, each as it is sent, such as `created[gte]`. */
export function listParameters({ paths, components }: OpenApi, family: Family, cursors: Cursors) {
  const { parameters = [] } = paths[listPath(family)]?.get ?? {}
  return parameters
    .filter(({ name, in: place }) => place === 'query' && !cursors.includes(name))
    .flatMap(({ name, description = '', schema, style }) => {
      const { enum: words, properties = {} } =
        components.schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema
      if (style !== 'deepObject') return [{ name, about: description, words }]
      return Object.entries(properties).map(([part, { description: about = '' }]) => ({
        name: `${name}[${part}]`,
        about,
        words: undefined
      }))
    })
}

/**
 * The path of a family's list with its query; empty values are left out. Users are those of an
 * Account.
 */
export function listAddress(
  family: Family,
  account: string,
  values: Readonly<Record<string, string>>
): string {
  const path = listPath(family).replace('{id}', () => encodeURIComponent(account))
  return addressOf({
    path,
    query: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
  })
}

/** A page, or the message of an error, as far as the settings tell where a response has them. */
export function pageIn(answer: unknown, settings: Readonly<Record<string, { value: unknown }>>) {
  const [list, error] = [settings['shapes.list']?.value, settings['shapes.error']?.value]
  const data = (valueAt(list, answer, '$members') ?? []) as AnyRecord[]
  const idAt = (placeholder: string, place: number) =>
    (valueAt(list, answer, placeholder) ?? data.at(place)?.id ?? null) as string | null
  return {
    data,
    has_more: (valueAt(list, answer, '$has_more') ?? data.length > 0) as boolean,
    first_id: idAt('$first_id', 0),
    last_id: idAt('$last_id', -1),
    message: valueAt(error, answer, '$message')
  }
}
