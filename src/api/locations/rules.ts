/** The rule that a new Location is judged by (reference §1, §4). */
import type { Rule } from '../../core/judge.js'
import type { AccountType } from '../../reference/accounts.js'

export const LOCATION_RULES: readonly Rule<{ account: string; type: AccountType | null }>[] = [
  {
    rule: 'LOC-3',
    holds: ({ type }) => type === 'merchant',
    else: 'merchant_required',
    message: ({ account, type }) => `Only merchant Accounts create Locations; the key acts as ${account}, whose type is ${type}.`
  }
]
