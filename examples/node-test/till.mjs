/** The code under test: what a till does with the Commerce Service. Amounts are in cents. */
export class Refused extends Error {
  constructor(status, { code, message }) {
    super(message)
    this.status = status
    this.code = code
  }
}

export class Till {
  #baseUrl
  #authorization

  constructor({ baseUrl, key }) {
    this.#baseUrl = baseUrl
    this.#authorization = `Basic ${btoa(`${key}:`)}`
  }

  /** Charges a card; this call needs no key. */
  pay(ticket, amount) {
    const card = { 'card[brand]': 'visa', 'card[token]': 'tok_visa', 'card[last4]': '4242' }
    return this.#call('POST', '/transactions', {
      form: { ticket, payment_type: 'card', amount, ...card }
    })
  }

  payment(id) {
    return this.#call('GET', `/transactions/${id}`, { withKey: true })
  }

  /** Gives money back. */
  refund(transaction, amount) {
    return this.#call('POST', '/refunds', { form: { transaction, amount }, withKey: true })
  }

  async #call(method, path, { form, withKey = false }) {
    const headers = withKey ? { authorization: this.#authorization } : {}
    const response = await fetch(`${this.#baseUrl}${path}`, {
      method,
      headers,
      body: form && new URLSearchParams(form)
    })
    const answer = await response.json()
    if (!response.ok) throw new Refused(response.status, answer.error)
    return answer
  }
}
