/** What a request shows: the rules that it kept and broke, and the assumptions that its answer relies on. It is judged once. */
import { brokenRule, type Exchange } from '../engine/exchange.js'
import type { RuleId } from '../reference/rules.js'
import { keptRules } from './kept-rules.js'
import { reliedAssumptions } from './relied-assumptions.js'

/** Rules and assumptions by their places in the ledgers, in the order in which they were decided. */
export type Judgement = { readonly kept: readonly number[]; readonly broken: RuleId | null; readonly relied: readonly number[] }

/** Judges a request whose outcome is known. */
export const judgementOf = (exchange: Exchange): Judgement => ({
  kept: keptRules(exchange),
  broken: brokenRule(exchange),
  relied: reliedAssumptions(exchange)
})
