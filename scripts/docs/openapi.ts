/** docs/openapi.json: the emulated API as an emulator without options describes it. */
import { openApiDocument } from '../../src/control/openapi.js'
import { BASE } from '../../src/core/paths.js'
import { settingsInForce } from '../../src/core/settings.js'

/** The text of the file. */
export function publishedDocument(version: string): string {
  const { values: settings } = settingsInForce({})
  const document = openApiDocument({ origin: `http://localhost:${settings.port}`, base: BASE, version, settings })
  return `${JSON.stringify(document, null, 2)}\n`
}
