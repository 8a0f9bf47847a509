/**
 * The templates of a service's lists and errors (A09, A07) and the names of its cursors (A10), as
 * its responses show them.
 */
import { CATALOGUE, type ErrorCode } from '../../core/errors.js'
import { partAt, type Step } from '../../core/places.js'
import { isObject } from '../../core/quick-check.js'
import { stepsTo, type Template } from '../../core/templates.js'
import { listShown } from '../../engine/exchange.js'
import { type Family, operationAt, operationOf } from '../../reference/operations.js'
import type { Cursors } from '../../reference/parameters.js'
import { RESOURCES } from '../../reference/tables.js'
import type { Json, StepAnswer, StepCall } from '../../scenario/steps.js'
import { type Compared, fieldOf, isMade, isSame } from './compare.js'

/** The lists in a run's responses, each with the steps to its members, and its errors. */
export type Answered = { lists: { body: Json; members: readonly Step[] }[]; errors: Json[] }
type Placed = { steps: readonly Step[]; value: Json }
type IsWhole = (value: readonly unknown[]) => boolean
type Shaping = {
  current: Template
  /** Every response of the run that the template is for. */
  answers: readonly Json[]
  isWhole: IsWhole
  /** Placeholders by the places where they are known to belong. */
  placed: Readonly<Record<string, string>>
  /**
   * The values of the emulator's response that placeholders stand for; undefined where it has none.
   */
  own: Readonly<Record<string, unknown>>
  isOwn: (value: Json, placeholder: string) => boolean
}

/** Names that `has_more` may have, and names that say the opposite. */
const MORE = /more|next/i
const LAST = /last|end|final|done/i
/** No envelope is deeper, or has more values. */
const MAX_DEPTH = 8
const MAX_VALUES = 50
/** A list of records is looked at as a whole, a list of one error is not. */
const isRecords: IsWhole = () => true
const isNoError: IsWhole = value => value.length !== 1

const keyOf = (steps: readonly Step[]) => JSON.stringify(steps)
const hasParts = (value: unknown, steps: readonly Step[], isWhole: IsWhole): value is object =>
  steps.length < MAX_DEPTH && (isObject(value) || (Array.isArray(value) && !isWhole(value)))
const partsOf = (value: object): [Step, Json][] =>
  Object.entries(value).map(([name, part]) => [Array.isArray(value) ? Number(name) : name, part])

/** The values in a response that have no parts. */
function valuesIn(value: Json, isWhole: IsWhole, steps: readonly Step[] = []): Placed[] {
  return hasParts(value, steps, isWhole)
    ? partsOf(value).flatMap(([name, part]) => valuesIn(part, isWhole, [...steps, name]))
    : [{ steps, value }]
}

/**
 * The steps to the members of a list: by its template, or to the one list in it of nothing but
 * records of the family.
 */
export function membersAt(
  list: Json,
  family: Family,
  template: Template
): readonly Step[] | undefined {
  const known = stepsTo(template, '$members') as readonly Step[]
  if (Array.isArray(partAt(list, known))) return known
  const words = RESOURCES[family].properties?.object?.enum as readonly unknown[]
  const isRecord = (member: Json) =>
    words.includes(fieldOf(member, 'object')) && typeof fieldOf(member, 'id') === 'string'
  const found = valuesIn(list, isRecords).filter(
    ({ value }) => Array.isArray(value) && value.every(isRecord)
  )
  const full = found.filter(({ value }) => (value as []).length > 0)
  const [one, ...others] = full.length > 0 ? full : found
  return others.length > 0 ? undefined : one?.steps
}

/** The lists and errors in some responses. */
export function answeredIn(
  calls: readonly { call: StepCall; answer: StepAnswer }[],
  template: Template
): Answered {
  const lists = calls.flatMap(({ call: { method, path }, answer }) => {
    const at = operationAt(method, path)
    const { kind, family } = at === null ? { kind: null, family: null } : operationOf(at.operation)
    const members =
      kind === 'list' && isMade(answer) ? membersAt(answer.body, family, template) : undefined
    return members === undefined ? [] : [{ body: answer.body, members }]
  })
  return {
    lists,
    errors: calls.flatMap(({ answer: { status, body } }) => (status >= 400 ? [body] : []))
  }
}

/**
 * Templates by which the emulator may show a list as the service did: for each value there that may
 * be `has_more`, the likeliest first.
 */
export function listTemplates(
  { there: { body }, judged, comparison }: Compared,
  { lists }: Answered
): Template[] {
  const [list, current] = [listShown(judged), judged.settings['shapes.list']]
  const members = lists.find(other => other.body === body)?.members
  if (list === null || members === undefined) return []
  const answers = lists.flatMap(other =>
    keyOf(other.members) === keyOf(members) ? [other.body] : []
  )
  const own = { $url: list.url, $first_id: list.first_id, $last_id: list.last_id }
  const trying = { ...comparison, pairs: comparison.pairs.copy() }
  const isOwn = (value: Json, placeholder: string) =>
    isSame(value, own[placeholder as keyof typeof own], undefined, trying, placeholder)
  const shaping = { current, answers, isWhole: isRecords, own, isOwn }
  return inOrder(body, '$has_more', shaping, ({ steps }) => Number(MORE.test(String(steps.at(-1)))))
    .filter(({ value, steps }) => typeof value === 'boolean' && !LAST.test(String(steps.at(-1))))
    .flatMap(({ steps }) =>
      templateOf(body, {
        ...shaping,
        placed: { [keyOf(members)]: '$members', [keyOf(steps)]: '$has_more' }
      })
    )
}

/**
 * The template by which the emulator may refuse as the service did, if that has the code of the
 * refusal, and a text besides that may be the message.
 */
export function errorTemplates(
  { there: { status, headers, body }, here, judged }: Compared,
  { errors }: Answered
): Template[] {
  const { refusal } = judged.outcome
  if (refusal === null || status !== here.status) return []
  const { code, param, rule, assumption } = refusal
  const by = { $rule: rule, $assumption: rule === null ? assumption : null }
  const own = {
    $code: code,
    $type: CATALOGUE[code as ErrorCode].type,
    $param: param ?? undefined,
    ...by
  }
  const isOwn = (value: Json, placeholder: string) => value === own[placeholder as keyof typeof own]
  const shaping = {
    current: judged.settings['shapes.error'],
    answers: errors,
    isWhole: isNoError,
    own,
    isOwn
  }
  const texts = inOrder(body, '$message', shaping, ({ value }) => String(value).length).filter(
    ({ value }) => typeof value === 'string'
  )
  const placed: Record<string, string> = {}
  for (const { steps, value } of texts) {
    if (value === headers?.['request-id'] || partAt(shaping.current, steps) === '$request_id')
      placed[keyOf(steps)] = '$request_id'
    else if (
      !Object.values(own).includes(value as never) &&
      !Object.values(placed).includes('$message')
    )
      placed[keyOf(steps)] = '$message'
  }
  const isTold =
    texts.some(({ value }) => value === code) && Object.values(placed).includes('$message')
  return isTold ? templateOf(body, { ...shaping, placed }) : []
}

/**
 * The values of a response, the likeliest for a placeholder first: those of the current template,
 * then those that change, then by weight.
 */
function inOrder(
  body: Json,
  placeholder: string,
  { current, answers, isWhole }: Omit<Shaping, 'placed'>,
  weight: (one: Placed) => number
): Placed[] {
  const isKnown = ({ steps }: Placed) => Number(partAt(current, steps) === placeholder)
  const isChanging = ({ steps, value }: Placed) =>
    Number(answers.some(answer => partAt(answer, steps) !== value))
  const values = valuesIn(body, isWhole)
  return (values.length > MAX_VALUES ? [] : values).sort(
    (a, b) => isKnown(b) - isKnown(a) || isChanging(b) - isChanging(a) || weight(b) - weight(a)
  )
}

/**
 * The template of a response: placeholders for values that the emulator has too, and values that
 * every response has at the same place. Other values are left
 * out. None where a placeholder of the current template has another value.
 */
function templateOf(
  body: Json,
  { current, answers, isWhole, placed, own, isOwn }: Shaping
): Template[] {
  const used = new Set<string>()
  let isRight = true
  const placeholderOf = (value: Json, known: string) => {
    const found =
      typeof value === 'string'
        ? Object.keys(own).filter(placeholder => isOwn(value, placeholder))
        : []
    const placeholder = found.includes(known)
      ? known
      : (found.find(one => !used.has(one)) ?? found[0])
    return placeholder && used.add(placeholder) && placeholder
  }
  const shapeOf = (value: Json | undefined, steps: readonly Step[]): unknown => {
    const known = partAt(current, steps) as string
    const others = answers.map(answer => partAt(answer, steps))
    // other responses may have what this one lacks
    if (value === undefined)
      return (Object.hasOwn(own, known) && own[known] === undefined) ||
        others.some(other => other !== undefined)
        ? known
        : undefined
    const found = placed[keyOf(steps)]
    if (found !== undefined) return found
    if (hasParts(value, steps, isWhole)) {
      const names = new Set(
        [...partsOf(value), ...(isObject(known) ? partsOf(known) : [])].map(([name]) => name)
      )
      const parts = [...names].map(
        name =>
          [name, shapeOf(partAt(value, [name]) as Json | undefined, [...steps, name])] as const
      )
      const shown = parts.filter(([, part]) => part !== undefined)
      return Array.isArray(value) ? shown.map(([, part]) => part) : Object.fromEntries(shown)
    }
    const placeholder = value === null && own[known] === null ? known : placeholderOf(value, known)
    if (placeholder !== undefined) return placeholder
    isRight &&= !Object.hasOwn(own, known)
    // a number that is shown once counts something
    const isFixed =
      others.every(other => other === value) &&
      !Array.isArray(value) &&
      !isObject(value) &&
      (typeof value !== 'number' || others.length > 1)
    return isFixed ? value : undefined
  }
  const template = shapeOf(body, []) as Template
  return isRight ? [template] : []
}

/**
 * The names of the cursors where lists have addresses with a query that names the record at an end
 * of the page; the current ones where none has.
 */
export function cursorsTold({ lists }: Answered, current: Cursors): readonly string[] {
  const told: string[] = [...current]
  for (const { body, members } of lists) {
    const ids = (partAt(body, members) as Json[]).map(member => fieldOf(member, 'id'))
    const ends = ids.length > 1 ? [ids.at(-1), ids[0]] : []
    const addresses = valuesIn(body, isRecords).flatMap(({ value }) =>
      typeof value === 'string' && value.includes('?') ? [value] : []
    )
    for (const [name, value] of addresses.flatMap(address => [
      ...new URLSearchParams(address.slice(address.indexOf('?')))
    ])) {
      const place = ends.indexOf(value)
      if (place >= 0) told[place] = name
    }
  }
  return told
}
