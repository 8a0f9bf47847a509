import { BASE, CONTROL, withoutSlashes } from '../core/paths.js'

/** The address without the path of the API or control API; null if it is not HTTP. */
export function emulatorAddress(text: string): URL | null {
  const address = URL.canParse(text) ? new URL(text) : null
  if (address === null || !/^https?:$/.test(address.protocol)) return null
  const path = withoutSlashes(address.pathname)
  const apiPath = [BASE, CONTROL].find(end => path.endsWith(end)) ?? ''
  return Object.assign(new URL(address.origin), {
    pathname: path.slice(0, path.length - apiPath.length)
  })
}
