/**
 * Where the console is: `#/requests/req_12?sandbox=worker-1` is the view `requests`, the path
 * `['req_12']`, the sandbox `worker-1` and the rest of the query.
 */
import { batch, signal } from '@preact/signals'
import { keysOf } from '../../../reference/rules.js'
import { endToasts } from '../components/toast.js'
import { pageSandbox, sandbox } from '../control/client.js'

export type Route = {
  view: string
  path: readonly string[]
  query: Readonly<Record<string, string>>
}
export type Target = {
  view?: string
  path?: readonly string[]
  query?: Readonly<Record<string, string | undefined>>
  sandbox?: string
}

export const FIRST_VIEW = 'requests'

export const choiceIn = <T extends object>(
  table: T,
  name: string | undefined,
  fallback: keyof T
): keyof T => keysOf(table).find(key => key === name) ?? fallback

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function routeIn(hash: string): Route & { sandbox: string } {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?')
  const [view = '', ...rest] = path.split('/').map(decoded)
  const { sandbox: name = pageSandbox, ...query } = Object.fromEntries(new URLSearchParams(search))
  return {
    view: view === '' ? FIRST_VIEW : view,
    path: rest.filter(part => part !== ''),
    query,
    sandbox: name
  }
}

export const route = signal<Route>(routeIn(''))
follow()

export function hrefOf({
  view = route.value.view,
  path = [],
  query = {},
  sandbox: name = sandbox.value
}: Target): string {
  const filled = Object.entries(query).flatMap(([key, value]) =>
    value === undefined || value === '' ? [] : [[key, value]]
  )
  const search = new URLSearchParams(name === pageSandbox ? filled : [...filled, ['sandbox', name]])
  return `#/${[view, ...path].map(encodeURIComponent).join('/')}${search.size === 0 ? '' : `?${search}`}`
}

/** Browsers refuse an address that changes with each key. */
const REPLACED_MS = 100
let replaced = 0
let timer: ReturnType<typeof setTimeout> | undefined

export function go(target: Target, { replace = false } = {}): void {
  const href = hrefOf(target)
  clearTimeout(timer)
  const keep = () => {
    if (href === location.hash) return
    replaced = Date.now()
    history[replace ? 'replaceState' : 'pushState'](null, '', href)
  }
  if (replace && Date.now() - replaced < REPLACED_MS) timer = setTimeout(keep, REPLACED_MS)
  else keep()
  follow(href)
}

export const narrowed = (change: Target['query']): Target => ({
  path: route.value.path,
  query: { ...route.value.query, ...change }
})

export const narrow = (change: Target['query']): void => go(narrowed(change), { replace: true })

export const inQuery = (name: string) => ({
  value: route.value.query[name] ?? '',
  onChange: (value: string) => narrow({ [name]: value })
})

function follow(href = location.hash): void {
  const { sandbox: name, ...place } = routeIn(href)
  if (place.view !== route.value.view) endToasts()
  batch(() => {
    route.value = place
    sandbox.value = name
  })
}

for (const event of ['hashchange', 'popstate'])
  addEventListener(event, () => {
    clearTimeout(timer)
    follow()
  })
