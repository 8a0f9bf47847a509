/** The syntax of an email address: RFC 5321, with RFC 6531's letters beyond ASCII (USR-3, A30). */

/** `malformed` and `too_long` break the syntax; A30 refuses the others. */
export type EmailProblem =
  | 'malformed'
  | 'too_long'
  | 'address_literal'
  | 'domain_without_dot'
  | 'unprintable'

/**
 * Octets that an address, its local part, its domain and a label of the domain may have (RFC 5321
 * 4.5.3.1, RFC 1035 2.3.4).
 */
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

/** Why the text is refused as an email address, or null when it is accepted. */
export function emailProblem(text: string): EmailProblem | null {
  if (text.length <= MAX_LENGTHS.label && USUAL.test(text)) return null
  if (Buffer.byteLength(text) > MAX_LENGTHS.address) return 'too_long'
  const separator = text.lastIndexOf('@')
  const [local, domain] = [text.slice(0, Math.max(separator, 0)), text.slice(separator + 1)]
  if (!DOT_STRING.test(local) && !QUOTED_STRING.test(local)) return 'malformed'
  if (Buffer.byteLength(local) > MAX_LENGTHS.local) return 'too_long'
  if (ADDRESS_LITERAL.test(domain)) return 'address_literal'

  const labels = domain.split('.').map(asciiLabel)
  if (labels.includes(null)) return 'malformed'
  if (
    labels.join('.').length > MAX_LENGTHS.domain ||
    labels.some(label => label !== null && label.length > MAX_LENGTHS.label)
  )
    return 'too_long'
  if (labels.length === 1) return 'domain_without_dot'
  return UNPRINTABLE.test(local) ? 'unprintable' : null
}

/** A DNS label in ASCII (Punycode); null if it is not one. */
function asciiLabel(label: string): string | null {
  if (ASCII_LABEL.test(label)) return label
  const url = `http://${label}.example`
  return UNICODE_LABEL.test(label) && URL.canParse(url)
    ? new URL(url).hostname.slice(0, -'.example'.length)
    : null
}
