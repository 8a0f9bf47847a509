/** What is wrong with a document that does not match a JSON Schema, in words: where, what was expected, what was probably meant. Ajv finds it. */
import { Ajv, type ErrorObject } from 'ajv'
import { FORMATS, type FormatProblem, NOT_BLANK } from './formats.js'
import { didYouMean } from './nearest.js'
import { type PlacedProblem, problemAt, type Step } from './places.js'

/** Compiles a schema to a function that returns every problem of a document. */
export function problemFinder(schema: object): (document: unknown) => PlacedProblem[] {
  const ajv = new Ajv({ allErrors: true, strict: false, verbose: true, allowUnionTypes: true })
  for (const [name, { problem }] of Object.entries(FORMATS)) ajv.addFormat(name, value => problem(value) === null)
  const validate = ajv.compile(schema)
  return document => {
    validate(document)
    return oneEach((validate.errors as ErrorObject[]).filter(error => !isEcho(error))).map(error => problemOf(error, document))
  }
}

/** What only repeats the problem of a part. */
const isEcho = (error: ErrorObject) => error.keyword === 'if'

/** Of several errors of one value the one of its type, else the first: they are one mistake. Names that are missing or unknown are a mistake each. */
function oneEach(errors: readonly ErrorObject[]): ErrorObject[] {
  const ofValues = new Map<string, ErrorObject>()
  const isOfName = ({ keyword }: ErrorObject) => keyword === 'required' || keyword === 'additionalProperties'
  for (const error of errors) {
    if (!isOfName(error) && (error.keyword === 'type' || !ofValues.has(error.instancePath))) ofValues.set(error.instancePath, error)
  }
  return errors.filter(error => isOfName(error) || ofValues.get(error.instancePath) === error)
}

function problemOf(error: ErrorObject, document: unknown): PlacedProblem {
  const steps = stepsOf(error.instancePath, document)
  const { keyword, params } = error
  switch (keyword) {
    case 'additionalProperties': {
      const name = params.additionalProperty as string
      const known = Object.keys((error.parentSchema as { properties: object }).properties)
      return problemAt([...steps, name], `unknown name ${name}${didYouMean(name, known) || `; known here: ${known.join(', ')}`}`)
    }
    case 'required':
      return problemAt(steps, `${params.missingProperty} is required`)
    case 'type':
      return problemAt(steps, `${namedTypes(params.type)} was expected, not ${shown(error.data)}${quoteHint(params.type, error.data)}`)
    case 'enum': {
      const words = (params.allowedValues as unknown[]).filter(word => word !== null).map(String)
      return problemAt(steps, `one of ${words.join(', ')} was expected, not ${shown(error.data)}${didYouMean(shown(error.data), words)}`)
    }
    case 'format':
      return problemAt(steps, (FORMATS[params.format as keyof typeof FORMATS].problem(error.data as string) as FormatProblem).expected)
    case 'minimum':
    case 'maximum':
      return problemAt(steps, `at ${keyword === 'minimum' ? 'least' : 'most'} ${params.limit} was expected, not ${shown(error.data)}`)
    case 'minLength':
      return problemAt(steps, 'text was expected, not an empty one')
    default:
      if (params.pattern === NOT_BLANK) return problemAt(steps, `text was expected, not ${error.data === '' ? 'an empty one' : 'white space alone'}`)
      return problemAt(steps, steps.at(-1) === 'key' ? 'a key is printable, without spaces and without a colon' : `${error.message}, not ${shown(error.data)}`)
  }
}

/** Ajv's JSON pointer as steps; what is a list in the document is stepped into by number. */
function stepsOf(pointer: string, document: unknown): Step[] {
  let at = document
  return pointer
    .split('/')
    .slice(1)
    .map(part => {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
      const step = Array.isArray(at) ? Number(name) : name
      at = (at as Record<Step, unknown>)[step]
      return step
    })
}

const NAMES: Record<string, string> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null'
}
const namedTypes = (types: string | string[]) =>
  [types]
    .flat()
    .map(type => NAMES[type])
    .join(' or ')
const shown = (value: unknown) => {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  const text = String(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
const quoteHint = (types: string | string[], value: unknown) =>
  [types].flat().includes('string') && (typeof value === 'number' || typeof value === 'boolean') ? `; quote it: "${value}"` : ''
