/**
 * Browser tests of the console: each has its own emulator, and a page that may cause no error,
 * violate no policy and call no other host.
 */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Locator,
  type Page
} from 'playwright-core'
import tap, { type Test } from 'tap'
import { type Emulator, sandboxClient, startTestEmulator } from '../support/emulator.js'

/** Where Debian's package and common installers put it; `CHROMIUM` overrides this. */
const PLACES = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome'
].filter(place => place !== undefined)
const CHROMIUM = PLACES.find(place => existsSync(place))
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync'
]
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** The rules of WCAG 2.2, A and AA. */
const AXE_RUN = `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })`

/** Skipped if no browser is installed. */
export const BROWSER = {
  skip:
    CHROMIUM === undefined &&
    `no Chromium at ${PLACES.join(', ')}: apt-get install chromium, or name one in CHROMIUM`
}
/** For tests that only `npm run test:browser` runs. */
export const LONG = {
  skip: BROWSER.skip || (process.env.BROWSER !== 'all' && 'a long one: npm run test:browser')
}

export const SIZES = {
  wide: { width: 1280, height: 800 },
  narrow: { width: 360, height: 740 }
} as const

let browser: Promise<Browser> | undefined
const launched = (): Promise<Browser> => {
  if (browser === undefined) {
    browser = chromium.launch({ executablePath: CHROMIUM as string, args: ARGS })
    tap.teardown(async () => (await browser)?.close())
  }
  return browser
}

type Options = Parameters<typeof startTestEmulator>[1] & {
  hash?: string
  path?: string
  size?: keyof typeof SIZES
  theme?: 'light' | 'dark'
  /** Errors of the page's console that a test expects. */
  expected?: RegExp
  /** That the browser would ask for. */
  password?: string
}

/**
 * Opens the console on its own emulator. A page error, a policy violation or a foreign request
 * fails the test.
 */
export async function openConsole(
  t: Test,
  {
    hash = '',
    path = '/_control',
    size = 'wide',
    theme = 'light',
    expected,
    password,
    ...options
  }: Options = {}
) {
  const emulator = await startTestEmulator(t, { logged: false, ...options })
  const origin = `http://localhost:${await emulator.listen()}`
  const context = await (await launched()).newContext({
    viewport: SIZES[size],
    colorScheme: theme,
    reducedMotion: 'reduce',
    ...(password && { httpCredentials: { username: '', password } })
  })
  t.teardown(() => context.close())
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin })
  const page = await context.newPage()
  const problems = watch(context, page, origin)
  await page.goto(`${origin}${path}${hash}`)
  t.teardown(() => {
    const unexpected = problems.filter(problem => !expected?.test(problem))
    if (unexpected.length > 0) tap.fail(`${t.name}: ${unexpected.join('; ')}`)
  })
  const violations = () => accessViolations(page)
  return { ...emulator, origin, page, context, problems, violations }
}

export const see = (place: Page | Locator, text: string | RegExp, options = {}): Promise<void> =>
  place.getByText(text, options).waitFor()
export const press = (place: Page | Locator, name: string | RegExp): Promise<void> =>
  place.getByRole('button', { name }).click()
export const follow = (place: Page | Locator, name: string | RegExp): Promise<void> =>
  place.getByRole('link', { name }).click()

export const makeSandbox = ({ inject }: Pick<Emulator, 'inject'>): Promise<unknown> =>
  sandboxClient({ inject }, 'worker-1').control('POST /reset')

/** Waits until an expression is true; the page's policy forbids Playwright's own way. */
export async function until(page: Page, expression: string): Promise<void> {
  while (!(await page.evaluate(expression))) await page.waitForTimeout(20)
}

/** The text of an editor, which is not a form field. */
export async function linesOf(editor: Locator): Promise<string> {
  await editor.locator('.cm-line').first().waitFor()
  return (await editor.locator('.cm-line').allTextContents()).join('\n')
}

/** Pastes text: text that a browser inserts can have styles, which the policy forbids. */
export async function write(editor: Locator, text: string): Promise<void> {
  await editor.page().evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`)
  await editor.press('ControlOrMeta+a')
  await editor.press('ControlOrMeta+v')
}

/** Errors of a page from now on, as lines. */
function watch(context: BrowserContext, page: Page, origin: string): string[] {
  const problems: string[] = []
  page.on('pageerror', error => problems.push(`error: ${error.message}`))
  page.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warning')
      problems.push(`console: ${message.text()}`)
  })
  context.on('request', request => {
    if (!request.url().startsWith(`${origin}/`) && !/^(data|blob):/.test(request.url()))
      problems.push(`request to elsewhere: ${request.url()}`)
  })
  return problems
}

type AxeResults = {
  violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[]
}

async function accessViolations(page: Page): Promise<string[]> {
  await page.evaluate(AXE)
  const { violations } = (await page.evaluate(AXE_RUN)) as AxeResults
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`)
  )
}

/** Checks accessibility in light and dark, wide and narrow, and that nothing is truncated. */
export async function isAccessible(
  t: Test,
  hash: string,
  {
    prepare,
    ...options
  }: Options & { prepare?: (opened: Awaited<ReturnType<typeof openConsole>>) => Promise<void> } = {}
) {
  const opened = await openConsole(t, { hash, ...options })
  const { page, violations } = opened
  await prepare?.(opened)
  for (const theme of ['light', 'dark'] as const) {
    for (const [name, size] of Object.entries(SIZES)) {
      await page.emulateMedia({ colorScheme: theme })
      await page.setViewportSize(size)
      await page.waitForTimeout(100)
      t.strictSame(await violations(), [], `${hash} ${theme} ${name}`)
      t.equal(
        await page.evaluate(
          '[document.documentElement, document.querySelector("main")].every(part => part.scrollWidth <= part.clientWidth)'
        ),
        true,
        `${hash} fits into ${size.width} pixels`
      )
    }
  }
  return opened
}
