/** The syntax of an email address: RFC 5321, with RFC 6531's letters beyond ASCII (USR-3, A30). */
import type { AssumptionId } from '../reference/assumptions.js'

type Problem = { expected: string; assumption?: AssumptionId }
const MALFORMED: Problem = { expected: 'must be an email address, such as ana@example.com' }
/** Correct by the syntax alone. */
const UNUSUAL: Problem = {
  expected: `${MALFORMED.expected}, with printable characters and a domain name that has a dot`,
  assumption: 'A30'
}

/** In octets (RFC 5321 4.5.3.1, RFC 1035 2.3.4). */
const MAX_LENGTHS = { address: 254, local: 64, domain: 253, label: 63 }

const DOT_STRING =
  /^[\w!#$%&'*+\-/=?^`{|}~\u{80}-\u{10ffff}]+(?:\.[\w!#$%&'*+\-/=?^`{|}~\u{80}-\u{10ffff}]+)*$/u
const QUOTED_STRING = /^"(?:[ !#-[\]-~\u{80}-\u{10ffff}]|\\[ -~])*"$/u
/** White space and control characters, which the syntax allows, and halves of surrogate pairs. */
const UNPRINTABLE = /(?! )[\u{80}-\u{9f}\p{Z}\p{Cs}]/u
const ASCII_LABEL = /^[a-z\d](?:[a-z\d-]*[a-z\d])?$/i
/** Letters, marks and digits, and the other characters that RFC 5892 allows as exceptions. */
const UNICODE_LABEL =
  /^[\p{L}\p{Nd}](?:[\p{L}\p{M}\p{Nd}\u{b7}\u{375}\u{5f3}\u{5f4}\u{30fb}-]|\u{200c}|\u{200d})*(?<!-)$/u
const ADDRESS_LITERAL = /^\[(?:\d{1,3}(?:\.\d{1,3}){3}|[a-z\d-]*[a-z\d]:[!-Z^-~]+)\]$/i

/** The usual address, valid if it is short. */
const USUAL = /^[\w+-]+(?:\.[\w+-]+)*@(?:[a-z\d]+(?:-+[a-z\d]+)*\.)+[a-z]+$/i

export function emailProblem(text: string): Problem | null {
  if (text.length <= MAX_LENGTHS.label && USUAL.test(text)) return null
  if (Buffer.byteLength(text) > MAX_LENGTHS.address) return MALFORMED
  const [, local = '', domain = ''] = /^(.*)@(.*)$/s.exec(text) ?? []
  const isLocal = DOT_STRING.test(local) || QUOTED_STRING.test(local)
  if (!isLocal || Buffer.byteLength(local) > MAX_LENGTHS.local) return MALFORMED
  if (ADDRESS_LITERAL.test(domain)) return UNUSUAL
  const labels = domain.split('.').map(asciiLabel)
  const isDomain = labels.every(({ length }) => length > 0 && length <= MAX_LENGTHS.label)
  if (!isDomain || labels.join('.').length > MAX_LENGTHS.domain) return MALFORMED
  return labels.length === 1 || UNPRINTABLE.test(local) ? UNUSUAL : null
}

/** A DNS label in ASCII (Punycode); empty if it is not one. */
function asciiLabel(label: string): string {
  if (ASCII_LABEL.test(label)) return label
  const url = `http://${label}.example`
  return UNICODE_LABEL.test(label) && URL.canParse(url)
    ? new URL(url).hostname.slice(0, -'.example'.length)
    : ''
}
