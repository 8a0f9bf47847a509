/** `commerce-emulator coverage merge FILE…`: the coverage of several runs as one. */
import { readFile } from 'node:fs/promises'
import { ApiError } from '../core/errors.js'
import { type CoverageReport, mergedReports, type RuleCoverage } from '../evidence/coverage.js'
import { type CoverageFormat, coverageJunit, coverageText } from '../evidence/reports.js'

/** The sum of coverage reports that were written as JSON. Errors: `body_malformed` for a file that is not one. */
export async function mergedCoverage(files: readonly string[]): Promise<CoverageReport> {
  return mergedReports(await Promise.all(files.map(readReport)))
}

/** A report in a format. */
export function coverageReport(report: CoverageReport, format: CoverageFormat): string {
  if (format === 'json') return `${JSON.stringify(report, null, 2)}\n`
  return format === 'text' ? coverageText(report) : coverageJunit(report)
}

async function readReport(file: string): Promise<CoverageReport> {
  const text = await readFile(file, 'utf8')
  const report = parsed(text) as Partial<CoverageReport> | null
  if (!Array.isArray(report?.rules) || !report.rules.every(isCounted)) {
    throw new ApiError('body_malformed', { message: `${file} is not a coverage report; GET /_control/coverage and exec --report write them as JSON.` })
  }
  return report as CoverageReport
}

const isCounted = (rule: Partial<RuleCoverage> | null) => typeof rule?.rule === 'string' && Number.isInteger(rule.satisfied) && Number.isInteger(rule.violated)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
