/** What is said of records and generated records that a document cannot mean. */
import { didYouMean } from '../core/nearest.js'
import { type Sentences, sayer } from '../core/sentences.js'

export const say = sayer({
  listed_twice: (what: string) => `${what} is listed twice`,
  reserved_field: (name: string) => `${name} is a name that the API itself returns; give it outside extra`,
  missing_record: (resource: string, id: string, known: readonly string[] = []) => `no ${resource} has the id ${id}${didYouMean(id, known)}`,
  other_location: (ticket: string, at: string) => `the Ticket ${ticket} is at ${at}`,
  other_type: (got: string, type: string) => `its type is ${got}, but payment_type is ${type}`,
  sum_too_large: () => 'the amount with tip and donation is above 2^53-1',
  other_currency: (transaction: string, currency: string) => `the Transaction ${transaction} was charged in ${currency}`,
  below_refunds: (id: string, refunded: number, currency: string, charged: number) =>
    `the Refunds of ${id} come to ${refunded} ${currency}, above the ${charged} that can be refunded`,
  fixed_field: (id: string, was: string) => `${id} exists already, with ${was}; a merge cannot change this, load a whole document instead`,
  not_one_family: (families: readonly string[], got: readonly string[]) =>
    `must have a count of one of ${families.join(', ')}${got.length > 1 ? `; got ${got.join(' and ')}` : ''}`,
  reversed_period: (from: string, to: string) => `from ${from} is later than to ${to}`,
  missing_parent: (what: string, family: string) => `there is no ${what} for the generated ${family}`,
  no_early_ticket: (location: string) => `there is no Ticket at ${location} early enough to be paid; generate tickets before transactions`
} satisfies Sentences)
