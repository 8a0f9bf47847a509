/** HTML in which everything that is put into a template is escaped. */

/** Markup. Only a template makes it, so nothing that was sent or read as JSON can pass for it. */
export class Html {
  readonly text: string

  constructor(parts: readonly string[], values: readonly HtmlValue[]) {
    this.text = parts.map((part, place) => (place === 0 ? part : `${markupOf(values[place - 1] as HtmlValue)}${part}`)).join('')
  }
}
export type HtmlValue = Html | string | number | readonly HtmlValue[]

/** A template of HTML: values are escaped, for text and for attributes in double quotes; markup and lists of it are left as they are. */
export const html = (parts: TemplateStringsArray, ...values: HtmlValue[]): Html => new Html(parts, values)

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function markupOf(value: HtmlValue): string {
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map(markupOf).join('')
  return String(value).replace(/[&<>"']/g, character => ENTITIES[character] as string)
}
