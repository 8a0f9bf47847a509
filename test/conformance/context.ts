/** What a check can use: requests, verdicts, and records that it creates through the API. */
import assert from 'node:assert/strict'
import { type Known, NotGiven, Performance } from '../contract/performing.js'
import {
  type Answer,
  describeAnswer,
  isAccepted,
  listed,
  type Resource,
  type Service,
  Skip,
  send
} from './service.js'

export class Run {
  readonly service: Service
  #known: Promise<Readonly<Record<keyof Known, Resource | null>>> | undefined
  #names = 0

  constructor(service: Service) {
    this.service = { ...service, baseUrl: service.baseUrl.replace(/\/+$/, '') }
  }

  readonly unique = (): string =>
    `${Date.now().toString(36)}${process.pid.toString(36)}n${++this.#names}`

  /** Tickets and their Locations: the API cannot create them. */
  known(): Promise<Readonly<Record<keyof Known, Resource | null>>> {
    this.#known ??= this.#explore()
    return this.#known
  }

  async #explore(): Promise<Readonly<Record<keyof Known, Resource | null>>> {
    const [newest_ticket = null, ...older] = await this.#page('/tickets')
    const isApart = ({ created, reference }: Resource) =>
      created !== newest_ticket?.created &&
      reference &&
      !`${newest_ticket?.reference}`.toLowerCase().includes(reference.toLowerCase())
    const named =
      this.service.ticket === undefined
        ? undefined
        : (await send(this.service, { on: `GET /tickets/${this.service.ticket}` })).body
    const there = { place: null as Resource | null, ticket_there: null as Resource | null }
    for (const place of await this.#page('/locations')) {
      const [ticket_there] = await this.#page('/tickets', `location=${place.id}&limit=1`)
      if (ticket_there && ticket_there.id !== newest_ticket?.id)
        Object.assign(there, { place, ticket_there })
    }
    return {
      ticket: named ?? older[0] ?? newest_ticket,
      newest_ticket: older.length > 0 ? newest_ticket : null,
      older_ticket: older.find(isApart) ?? null,
      ...there
    }
  }

  async #page(path: string, query?: string): Promise<Resource[]> {
    const answer = await send(this.service, { on: `GET ${path}`, ...(query && { query }) })
    return isAccepted(answer) ? listed(answer).records : []
  }
}

export class Context extends Performance<Answer> {
  /** How many violations of the rule this check has tried, and seen refused. */
  violations = 0

  constructor(run: Run) {
    const known = (name: keyof Known) => async () => (await run.known())[name]
    super({
      send: call => send(run.service, call),
      known: {
        ticket: known('ticket'),
        newest_ticket: known('newest_ticket'),
        older_ticket: known('older_ticket'),
        place: known('place'),
        ticket_there: known('ticket_there')
      },
      unique: run.unique,
      constants: { merchant_key: run.service.merchantKey }
    })
  }

  skip(reason: string): never {
    throw new Skip(reason)
  }

  /** An error; the reference names no status, so any 4xx counts. */
  refused(answer: Answer): void {
    assert.ok(
      answer.status >= 400 && answer.status < 500,
      `must be an error (4xx); ${describeAnswer(answer)}`
    )
    this.violated()
  }

  violated(): void {
    this.violations++
  }
}

export const skipReason = (error: unknown): string | null =>
  error instanceof Skip || error instanceof NotGiven ? error.message : null

export function createdOf({ id, created }: Resource): number {
  const at = Date.parse(created)
  assert.ok(!Number.isNaN(at), `${id}: must be created to be a time, not ${created}`)
  return at
}

export const isUnset = (value: unknown): boolean =>
  value === undefined || value === null || value === ''
