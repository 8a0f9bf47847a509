/** Links to records, by what their ids look like, and to the requests of a test. */
import { hrefOf } from '../app/route.js'
import { withTerm } from './requests/query.js'

/** By the prefixes of ids, where no setting says otherwise. */
const FAMILIES: Readonly<Record<string, string>> = {
  mch: 'accounts',
  rsl: 'accounts',
  loc: 'locations',
  tkt: 'tickets',
  txn: 'transactions',
  usr: 'users',
  rfd: 'refunds'
}

export function recordAddress(text: string, sandbox?: string): string | undefined {
  const family = /^[a-z]{3}_[\w-]+$/.test(text) && FAMILIES[text.slice(0, 3)]
  return family ? hrefOf({ view: 'data', path: [family, text], sandbox }) : undefined
}

/** The requests of a test, in every sandbox: as the report of the run counts them. */
export const testAddress = (test: string): string =>
  hrefOf({ view: 'requests', query: { q: `${withTerm('', 'test', test)} in:all` } })
