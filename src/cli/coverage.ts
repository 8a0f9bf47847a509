/** `commerce-emulator coverage merge FILE…`: the coverage of several runs as one. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { contentOf } from '../client/connection.js'
import { type CoverageReport, mergedReports, type RuleCoverage } from '../evidence/totals.js'
import { Failure } from './failures.js'
import { filesAt } from './scenario-files.js'
import { SAYS } from './sentences.js'

/**
 * The sum of coverage reports that were written as JSON: files, the `coverage.json` of a folder and of those in it, and what a pattern such as
 * `reports/*.json` matches, each file once. Errors: a `Failure` for a file that is not a report, and where there is no file.
 */
export async function mergedCoverage(places: readonly string[]): Promise<CoverageReport> {
  const found = await Promise.all(places.map(async place => ({ place, ...(await filesAt(place, '**/coverage.json')) })))
  const none = found.find(({ files }) => files.length === 0)
  if (none !== undefined) throw new Failure(none.isPattern ? SAYS.no_match(none.place) : SAYS.no_reports(none.place))
  const files = found.flatMap(({ files }) => files)
  const once = new Map(files.map(file => [resolve(file), file]))
  return mergedReports(await Promise.all([...once.values()].map(readReport)))
}

async function readReport(file: string): Promise<CoverageReport> {
  const report: Partial<CoverageReport> | null = contentOf(await readFile(file, 'utf8'))
  if (!Array.isArray(report?.rules) || !report.rules.every(isCounted)) throw new Failure(SAYS.not_a_report(file))
  return report as CoverageReport
}

const isCounted = (rule: Partial<RuleCoverage> | null) => typeof rule?.rule === 'string' && Number.isInteger(rule.satisfied) && Number.isInteger(rule.violated)
