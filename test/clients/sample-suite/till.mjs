/**
 * The till of a small restaurant, as requests to the Commerce Service. It knows nothing of an
 * emulator.
 */
const { COMMERCE_BASE_URL, COMMERCE_API_KEY } = process.env

export class Refused extends Error {
  constructor(status, { code, message }) {
    super(message)
    this.status = status
    this.code = code
  }
}

const flat = (values, under) =>
  Object.entries(values).flatMap(([name, value]) => {
    const path = under === undefined ? name : `${under}[${name}]`
    return typeof value === 'object' ? flat(value, path) : [[path, String(value)]]
  })

async function call(method, path, values = {}, { withKey = true } = {}) {
  const form = new URLSearchParams(flat(values))
  const isPost = method === 'POST'
  const url = `${COMMERCE_BASE_URL}${path}${isPost || form.size === 0 ? '' : `?${form}`}`
  const headers = withKey ? { authorization: `Basic ${btoa(`${COMMERCE_API_KEY}:`)}` } : {}
  const answer = await fetch(url, { method, headers, ...(isPost && { body: form }) })
  const body = answer.status === 204 ? null : await answer.json()
  if (!answer.ok) throw new Refused(answer.status, body.error)
  return body
}

/** The open bill of a table, by the waiter's name for it. */
export async function findTicket(location, reference) {
  // a mistake: the page is filtered after it was retrieved, so a Ticket further back is not found;
  // it has to go on while has_more is true
  const { data } = await call('GET', '/tickets', { location, search_query: reference, limit: 3 })
  return data.find(ticket => ticket.reference === reference) ?? null
}

export const readTicket = id => call('GET', `/tickets/${id}`)

/** A card payment at the terminal, which needs and has no key. */
export const payByCard = (ticket, { amount, tip_amount, last4, brand }) =>
  call(
    'POST',
    '/transactions',
    { ticket, payment_type: 'card', currency: 'usd', amount, tip_amount, card: { brand, last4 } },
    { withKey: false }
  )

export const payByGuest = (ticket, { amount, phone }) =>
  call(
    'POST',
    '/transactions',
    { ticket, payment_type: 'vip', amount, ...(phone && { customer: { phone } }) },
    { withKey: false }
  )

export const readPayment = id => call('GET', `/transactions/${id}`)

/** The day's payments, page after page. */
export async function paymentsSince(location, instant) {
  const found = []
  let page
  do {
    page = await call('GET', '/transactions', {
      location,
      created: { gte: instant },
      ...(page && { starting_after: page.last_id })
    })
    found.push(...page.data)
  } while (page.has_more)
  return found
}

/** Refunds an amount, or everything that is left. */
export async function refund(payment, { amount, reason, metadata } = {}) {
  const form = {
    transaction: payment,
    ...(amount && { amount }),
    ...(reason && { reason }),
    ...(metadata && { metadata })
  }
  try {
    return await call('POST', '/refunds', form)
  } catch (error) {
    // a mistake: a refusal will be refused again; only a lost response is a reason to retry,
    // and only after checking
    if (error.code === 'refund_exceeds_remaining') return call('POST', '/refunds', form)
    throw error
  }
}

export const refundsOf = payment => call('GET', '/refunds', { transaction: payment })
export const noteOnRefund = (id, metadata) => call('POST', `/refunds/${id}`, { metadata })
