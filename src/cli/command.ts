/** A command: flags, help and function. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { SAYS } from './sentences.js'

export type Environment = Readonly<Record<string, string | undefined>>
export type CommandLine = {
  program: Command
  environment: Environment
  stdout: NodeJS.WriteStream
  stderr: NodeJS.WriteStream
}
export type CommandSpec = {
  about: string
  argument?: readonly [name: string, about: string]
  options?: readonly Option[]
  examples: readonly (readonly [about: string, line: string])[]
  /** The exit status; null while the process serves. Loads what only this command needs. */
  run(flags: object, line: CommandLine, operand: string | string[]): Promise<number | null>
}

/** `misused`: a wrong command line or setting; `unmet`: only a criterion failed. */
export const STATUS = { done: 0, failed: 1, misused: 2, unmet: 3 } as const

export function option<T>(
  flags: string,
  about: string,
  parse?: (text: string, before: T) => T
): Option {
  const created = new Option(flags, about)
  return parse ? created.argParser(parse) : created
}

export const collect = (text: string, before: string[] = []): string[] => [...before, text]

export const listOf = (text: string, before: string[] = []): string[] => [
  ...before,
  ...text.split(',').filter(name => name !== '')
]

const numberOf = (isValid: (number: number) => boolean, message: string) => (text: string) => {
  if (!/^\d+(\.\d+)?$/.test(text) || !isValid(Number(text))) throw new InvalidArgumentError(message)
  return Number(text)
}
export const percentOf = numberOf(number => number <= 100, SAYS.percentage())
/** The maximum of timers. */
export const wholeOf = numberOf(
  number => Number.isInteger(number) && number >= 1 && number <= 2_147_483_647,
  SAYS.whole()
)

export type Pairs = ReadonlyMap<string, string>

/** Of `NAME=VALUE`; the name of a value alone is ''. */
export function pairOf(text: string, before: Pairs = new Map()): Pairs {
  const equals = text.indexOf('=')
  const pair: [string, string] =
    equals < 1 ? ['', text] : [text.slice(0, equals), text.slice(equals + 1)]
  return new Map([...before, pair])
}

/** Each with a name and one value. Errors: `InvalidArgumentError`. */
export function namedValueOf(text: string, before: Pairs = new Map()): Pairs {
  const pairs = pairOf(text, before)
  if (pairs.has('')) throw new InvalidArgumentError(SAYS.pair())
  if (pairs.size === before.size) throw new InvalidArgumentError(SAYS.twice())
  return pairs
}

export const PLACES = 'folders, names of scenarios and fixtures, or - for stdin.'
