/** Input of the suite: the environment, and the ledger of rules. */
import { existsSync, readFileSync } from 'node:fs'
import type { Service } from './service.js'
import type { LedgerRule } from './suite.js'

type Environment = Readonly<Record<string, string | undefined>>

const isLoopback = (host: string) => /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(host)

export function targetOf(environment: Environment): Service | null {
  const {
    CONFORMANCE_BASE_URL,
    CONFORMANCE_MERCHANT_KEY,
    CONFORMANCE_RESELLER_KEY,
    CONFORMANCE_TICKET,
    CONFORMANCE_ALLOW_REMOTE
  } = environment
  if (!CONFORMANCE_BASE_URL) return null
  if (!/^https?:\/\/[^/]/.test(CONFORMANCE_BASE_URL) || !URL.canParse(CONFORMANCE_BASE_URL)) {
    throw new Error(`CONFORMANCE_BASE_URL is not an http address: ${CONFORMANCE_BASE_URL}`)
  }
  const { hostname } = new URL(CONFORMANCE_BASE_URL)
  if (!isLoopback(hostname) && CONFORMANCE_ALLOW_REMOTE !== '1') {
    throw new Error(
      `The suite writes records: it makes Locations, Accounts, Users, Transactions and Refunds, and most of them cannot be deleted. ` +
        `${hostname} is not this machine; set CONFORMANCE_ALLOW_REMOTE=1 to run it there all the same. Nothing was sent.`
    )
  }
  if (!CONFORMANCE_MERCHANT_KEY)
    throw new Error('CONFORMANCE_MERCHANT_KEY is needed: an API key of a merchant Account.')
  return {
    baseUrl: CONFORMANCE_BASE_URL,
    merchantKey: CONFORMANCE_MERCHANT_KEY,
    resellerKey: CONFORMANCE_RESELLER_KEY || undefined,
    ticket: CONFORMANCE_TICKET || undefined
  }
}

const LEDGER = new URL('../contract/rules.json', import.meta.url)

/** The rules of the reference, written by hand; null if the file is missing. */
export function readLedger(): LedgerRule[] | null {
  return existsSync(LEDGER) ? JSON.parse(readFileSync(LEDGER, 'utf8')) : null
}
