/** Which sandbox the console shows, and where its control API is. */
import { signal } from '@preact/signals'

export const pageSandbox: string = document.body.dataset.sandbox ?? ''
/** The chosen sandbox; empty for the one at the base address. */
export const sandbox = signal(pageSandbox)

export const controlOf = (name: string = sandbox.value): string =>
  `${name === '' ? '' : `/sandbox/${encodeURIComponent(name)}`}/_control`
export const apiOf = (name: string = sandbox.value): string =>
  `${name === '' ? '' : `/sandbox/${encodeURIComponent(name)}`}/next`
