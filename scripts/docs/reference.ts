/** The pages of docs/reference, which `npm run docs` writes. */
import { apiPage } from './api.js'
import { assumptionsPage } from './assumptions.js'
import { cliPage } from './cli.js'
import { controlPage } from './control.js'
import { errorsPage } from './errors.js'
import { findingsPage } from './findings.js'
import { metricsPage } from './metrics.js'
import { rulesPage } from './rules.js'
import { scenarioLanguagePage } from './scenario-language.js'
import { settingsPage } from './settings.js'

/** The text of each page, by the name of its file. */
export const REFERENCE_PAGES: Readonly<Record<string, () => string | Promise<string>>> = {
  'api.md': apiPage,
  'assumptions.md': assumptionsPage,
  'cli.md': cliPage,
  'control.md': controlPage,
  'errors.md': errorsPage,
  'findings.md': findingsPage,
  'metrics.md': metricsPage,
  'rules.md': rulesPage,
  'scenario-language.md': scenarioLanguagePage,
  'settings.md': settingsPage
}
