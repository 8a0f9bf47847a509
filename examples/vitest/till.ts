/** The code under test: what a till does with the Commerce Service. Amounts are in cents. */
type Payment = { id: string; amount: number; amount_refunded: number }
type Refund = { id: string; amount: number }
type Refusal = { code: string; message: string }

export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string
  ) {
    super(message)
  }
}

export class Till {
  readonly #baseUrl: string
  readonly #authorization: string

  constructor({ baseUrl, key }: { baseUrl: string; key: string }) {
    this.#baseUrl = baseUrl
    this.#authorization = `Basic ${btoa(`${key}:`)}`
  }

  /** Charges a card; this call needs no key. */
  pay(ticket: string, amount: number): Promise<Payment> {
    const card = { 'card[brand]': 'visa', 'card[token]': 'tok_visa', 'card[last4]': '4242' }
    return this.#call('POST', '/transactions', {
      form: { ticket, payment_type: 'card', amount: String(amount), ...card }
    })
  }

  payment(id: string): Promise<Payment> {
    return this.#call('GET', `/transactions/${id}`, { withKey: true })
  }

  /** Gives money back. */
  refund(transaction: string, amount: number): Promise<Refund> {
    return this.#call('POST', '/refunds', {
      form: { transaction, amount: String(amount) },
      withKey: true
    })
  }

  async #call<Answer>(
    method: string,
    path: string,
    { form, withKey }: { form?: Record<string, string>; withKey?: boolean }
  ): Promise<Answer> {
    const headers: Record<string, string> = withKey ? { authorization: this.#authorization } : {}
    const response = await fetch(`${this.#baseUrl}${path}`, {
      method,
      headers,
      body: form && new URLSearchParams(form)
    })
    const answer = (await response.json()) as Answer & { error: Refusal }
    if (!response.ok) throw new Refused(response.status, answer.error.code, answer.error.message)
    return answer
  }
}
