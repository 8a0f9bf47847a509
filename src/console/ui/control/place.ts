/** Which sandbox the console shows, and where its control API is. */
import { signal } from '@preact/signals'

/** The sandbox of the page's own address; empty at the base address. */
export const pageSandbox: string = document.body.dataset.sandbox ?? ''
/** The chosen sandbox; empty for the one at the base address. */
export const sandbox = signal(pageSandbox)

/** The control address of a sandbox, by default the chosen one. */
export const controlOf = (name: string = sandbox.value): string =>
  `${name === '' ? '' : `/sandbox/${encodeURIComponent(name)}`}/_control`
/** The address of the emulated API of a sandbox. */
export const apiOf = (name: string = sandbox.value): string =>
  `${name === '' ? '' : `/sandbox/${encodeURIComponent(name)}`}/next`
