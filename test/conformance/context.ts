/** What a check is given: calls, verdicts, and records of its own that it makes through the API. */
import assert from 'node:assert/strict'
import { type Answer, accepted, type Call, type Fields, isAccepted, listed, type Record_, Skip, send, type Target, told } from './service.js'

export const CARD = { 'card[brand]': 'visa', 'card[number]': '4242424242424242', 'card[last4]': '4242', 'card[expiry]': '12/34', 'card[csc]': '123' }
export const OTHER_CARD = {
  'card[brand]': 'mastercard',
  'card[number]': '5555555555554444',
  'card[last4]': '4444',
  'card[expiry]': '11/33',
  'card[csc]': '321'
}
export const ADDRESS = {
  'address[country]': 'US',
  'address[line1]': '1 Main Street',
  'address[line2]': 'Floor 2',
  'address[city]': 'Boston',
  'address[postal_code]': '02110',
  'address[state]': 'MA'
}

type Surroundings = {
  /** The Tickets of the first page. */
  tickets: Record_[]
  /** Locations with at least one Ticket each, and a Ticket that lies there. */
  places: { location: string; ticket: Record_ }[]
}

/** What the checks of one run share: the target, and what was found at it before anything was written. */
export class Run {
  readonly target: Target
  #surroundings: Promise<Surroundings> | undefined
  #names = 0

  constructor(target: Target) {
    this.target = { ...target, baseUrl: target.baseUrl.replace(/\/+$/, '') }
  }

  /** A text that no other call of any run has sent. */
  unique(): string {
    return `${Date.now().toString(36)}${process.pid.toString(36)}n${++this.#names}`
  }

  /** What Tickets there are, and where: they cannot be made through the API. */
  surroundings(): Promise<Surroundings> {
    this.#surroundings ??= this.#explore()
    return this.#surroundings
  }

  async #explore(): Promise<Surroundings> {
    const tickets = await this.#page('/tickets')
    const locations = await this.#page('/locations')
    // A Ticket may tell its Location or not: where it does, that Location is looked at first.
    const ids = new Set([...tickets.map(({ location }) => location).filter(id => typeof id === 'string'), ...locations.map(({ id }) => id)])
    const places: Surroundings['places'] = []
    for (const location of ids) {
      const [ticket] = await this.#page('/tickets', { location })
      if (ticket) places.push({ location, ticket })
      if (places.length === 2) break
    }
    return { tickets, places }
  }

  async #page(path: string, query: Fields = {}): Promise<Record_[]> {
    const answer = await send(this.target, `GET ${path}`, { query })
    return isAccepted(answer) ? listed(answer).records : []
  }
}

export class Context {
  /** How many violations of the rule this check has tried, and seen answered as the reference says. */
  violations = 0
  readonly #run: Run

  constructor(run: Run) {
    this.#run = run
  }

  get target(): Target {
    return this.#run.target
  }

  call(on: string, call: Call = {}): Promise<Answer> {
    return send(this.target, on, call)
  }

  /** The check cannot be set up at this service; it is neither passed nor failed. */
  skip(reason: string): never {
    throw new Skip(reason)
  }

  /** An error was returned; the reference names no status, so any 4xx is one. */
  refused(answer: Answer): void {
    assert.ok(answer.status >= 400 && answer.status < 500, `an error (4xx) was expected; ${told(answer)}`)
    this.violated()
  }

  /** A violation was tried, and is told not to have been carried out in another way than by an error. */
  violated(): void {
    this.violations++
  }

  /** Posts a form, and expects the resource. */
  async post(path: string, body: Fields, call: Call = {}): Promise<Record_> {
    return accepted(await this.call(`POST ${path}`, { ...call, body }))
  }

  /** Reads one resource. */
  async read(path: string): Promise<Record_> {
    return accepted(await this.call(`GET ${path}`))
  }

  /** Reads one page. */
  async page(path: string, query: Fields = {}): Promise<{ records: Record_[]; ids: string[]; hasMore: boolean }> {
    const { records, hasMore } = listed(await this.call(`GET ${path}`, { query }))
    return { records, ids: records.map(({ id }) => id), hasMore }
  }

  unique(): string {
    return this.#run.unique()
  }

  locationFields(fields: Fields = {}): Fields {
    return { display_name: `Conformance ${this.unique()}`, 'address[country]': 'US', ...fields }
  }

  accountFields(fields: Fields = {}): Fields {
    const name = this.unique()
    return { type: 'merchant', name: `Conformance ${name}`, email: `conformance-${name}@example.com`, 'address[country]': 'US', ...fields }
  }

  userFields(fields: Fields = {}): Fields {
    const name = this.unique()
    return { name: `Conformance ${name}`, email: `conformance-${name}@example.com`, ...fields }
  }

  /** The fields of a card payment of 1000 on a Ticket. */
  async paymentFields(fields: Fields = {}): Promise<Fields> {
    return { ticket: await this.ticket(), payment_type: 'card', currency: 'usd', amount: 1000, ...CARD, ...fields }
  }

  /** A new Location. */
  location(fields: Fields = {}): Promise<Record_> {
    return this.#given('a Location', 'POST /locations', { body: this.locationFields(fields) })
  }

  /** A new Account. */
  account(fields: Fields = {}): Promise<Record_> {
    return this.#given('an Account', 'POST /accounts', { body: this.accountFields(fields) })
  }

  /** A new User of an Account. */
  user(account: string, fields: Fields = {}): Promise<Record_> {
    return this.#given('a User', `POST /accounts/${account}/users`, { body: this.userFields(fields) })
  }

  /** A new Transaction: a card payment of 1000, when nothing else is said. */
  async charge(fields: Fields = {}): Promise<Record_> {
    return this.#given('a Transaction', 'POST /transactions', { key: null, body: await this.paymentFields(fields) })
  }

  /** A new Refund on a Transaction, of all that remains when no amount is given. */
  refund(transaction: string, fields: Fields = {}): Promise<Record_> {
    return this.#given('a Refund', 'POST /refunds', { body: { transaction, ...fields } })
  }

  /** The id of a Ticket to pay. */
  async ticket(): Promise<string> {
    return this.target.ticket ?? (await this.tickets(1))[0]?.id
  }

  /** At least so many Tickets, those of the first page. */
  async tickets(count: number): Promise<Record_[]> {
    const { tickets } = await this.#run.surroundings()
    if (tickets.length < count) this.skip(`the service lists ${tickets.length} Tickets; ${count} are needed, and they cannot be made through the API`)
    return tickets
  }

  /** At least so many Locations (two at most) with a Ticket each. */
  async places(count: number): Promise<Surroundings['places']> {
    const { places } = await this.#run.surroundings()
    if (places.length < count) this.skip(`${places.length} Locations with Tickets were found; ${count} are needed, and Tickets cannot be made through the API`)
    return places
  }

  /** Makes two records whose creation times differ, waiting longer each time. */
  async twoInstants(make: () => Promise<Record_>): Promise<[Record_, Record_]> {
    for (const wait of [5, 50, 1100]) {
      const first = await make()
      await new Promise(resolve => setTimeout(resolve, wait))
      const second = await make()
      if (createdOf(first) !== createdOf(second)) return [first, second]
    }
    return this.skip('records made a second apart carry the same creation time')
  }

  /** A record that a check needs, but is not about. */
  async #given(what: string, on: string, call: Call): Promise<Record_> {
    const answer = await this.call(on, call)
    if (!isAccepted(answer)) this.skip(`${what} could not be made; ${told(answer)}`)
    return accepted(answer)
  }
}

/** When a record was created, in milliseconds. */
export function createdOf({ id, created }: Record_): number {
  const at = Date.parse(created)
  assert.ok(!Number.isNaN(at), `${id}: created was expected to be a time, not ${created}`)
  return at
}

export const iso = (at: number): string => new Date(at).toISOString()

/** Every value that a member of this name has, anywhere in the answer. */
export function valuesOf(name: string, within: unknown): unknown[] {
  if (typeof within !== 'object' || within === null) return []
  return Object.entries(within).flatMap(([key, value]) => [...(key === name ? [value] : []), ...valuesOf(name, value)])
}

/** A value that is not set: absent, null or empty. */
export const isUnset = (value: unknown): boolean => value === undefined || value === null || value === ''
