/** The parameters of the API's lists, read from the OpenAPI document. */
import { valueAt } from '../../../../core/templates.js'
import type { Cursors } from '../../../../reference/parameters.js'
import type { Family } from '../../control/client.js'
import { addressOf } from '../form.js'
import type { AnyRecord } from './records.js'

type Schema = { $ref?: string; enum?: readonly string[]; properties?: Readonly<Record<string, Schema>>; description?: string }
type Parameter = { name: string; in: string; description?: string; schema: Schema; style?: string }
export type OpenApi = {
  paths: Readonly<Record<string, { get?: { parameters: readonly Parameter[] } }>>
  components: { schemas: Readonly<Record<string, Schema>> }
}
/** A parameter as it is sent, such as `created[gte]`. */
export type ListParameter = { name: string; about: string; words: readonly string[] | null }

/** The path of a family's list; Users are listed by Account. */
export const listPath = (family: Family): string => (family === 'users' ? '/accounts/{id}/users' : `/${family}`)

/** Those of a family's list, but for the cursors. */
export function listParameters({ paths, components }: OpenApi, family: Family, cursors: Cursors): ListParameter[] {
  const schemaOf = (schema: Schema): Schema => (schema.$ref === undefined ? schema : (components.schemas[schema.$ref.split('/').at(-1) as string] as Schema))
  return (paths[listPath(family)]?.get?.parameters ?? [])
    .filter(parameter => parameter.in === 'query' && !cursors.includes(parameter.name))
    .flatMap(({ name, description = '', schema, style }) => {
      const whole = schemaOf(schema)
      if (style !== 'deepObject') return [{ name, about: description, words: whole.enum ?? null }]
      return Object.entries(whole.properties ?? {}).map(([part, of]) => ({ name: `${name}[${part}]`, about: of.description ?? '', words: null }))
    })
}

/** The path of a family's list with its query; empty values are left out. Users are those of an Account. */
export const listAddress = (family: Family, account: string, values: Readonly<Record<string, string>>): string =>
  addressOf(
    listPath(family).replace('{id}', () => encodeURIComponent(account)),
    Object.entries(values).filter(([, value]) => value !== '')
  )

/** The templates of the API's lists and errors. */
export type Shapes = { list: unknown; error: unknown }

/** A page, or the message of an error, as far as the templates show it. */
export function pageIn(answer: unknown, { list, error }: Shapes) {
  const data = (valueAt(list, answer, '$members') ?? []) as AnyRecord[]
  const idAt = (placeholder: string, place: number) => (valueAt(list, answer, placeholder) ?? data.at(place)?.id ?? null) as string | null
  return {
    data,
    has_more: (valueAt(list, answer, '$has_more') ?? data.length > 0) as boolean,
    first_id: idAt('$first_id', 0),
    last_id: idAt('$last_id', -1),
    message: valueAt(error, answer, '$message')
  }
}
