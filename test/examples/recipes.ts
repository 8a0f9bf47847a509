/** The recipes in `examples/`: what each needs on a machine, and what proves that it works. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url))

/** Needs besides Node.js and npm, and a command that succeeds if they are met. */
const NEEDS = {
  python: ['python3', '-m', 'venv', '--help'],
  go: ['go', 'version'],
  maven: ['mvn', '--version'],
  docker: ['docker', 'info']
} as const

export type Recipe = {
  /** The folder in `examples/`. */
  name: string
  needs: readonly (keyof typeof NEEDS | 'chromium')[]
  /** Output of passed tests. */
  passed: readonly RegExp[]
  /** Lines of the README's first block that a test does not run. */
  without?: readonly string[]
  /** Files whose types are checked. */
  typed?: string
}

/** Output of `exec` when the tests have used its emulator. */
const CALLED = /^ {2}Requests +[1-9]/m

/** Recipes whose README begins with the commands that run them. */
export const RUN: readonly Recipe[] = [
  { name: 'vitest', needs: [], passed: [/Tests +6 passed \(6\)/], typed: '*.ts' },
  { name: 'jest', needs: [], passed: [/^Tests: +6 passed, 6 total$/m] },
  { name: 'node-test', needs: [], passed: [/^. pass 3$/m, /^. fail 0$/m] },
  {
    name: 'playwright',
    needs: ['chromium'],
    passed: [/^ +3 passed/m],
    without: ['npx playwright install chromium'],
    typed: '*.ts'
  },
  { name: 'pytest', needs: ['python'], passed: [/^=+ 9 passed in /m, CALLED] },
  { name: 'go', needs: ['go'], passed: [/^ok\s+example\.com\/till/m, CALLED] },
  {
    name: 'junit5',
    needs: ['maven'],
    passed: [/Tests run: 3, Failures: 0, Errors: 0, Skipped: 0$/m, CALLED]
  },
  {
    name: 'collections',
    needs: [],
    passed: [/assertions[│ ]+26[│ ]+0 /, /Assertions[│ ]+26\/26 /, CALLED]
  },
  { name: 'testcontainers-node', needs: ['docker'], passed: [/^. pass 1$/m], typed: '*.mjs' },
  { name: 'testcontainers-python', needs: ['python', 'docker'], passed: [/^=+ 1 passed in /m] },
  {
    name: 'testcontainers-go',
    needs: ['go', 'docker'],
    passed: [/^ok\s+example\.com\/commerceemulator/m]
  },
  {
    name: 'testcontainers-java',
    needs: ['maven', 'docker'],
    passed: [/Tests run: 1, Failures: 0, Errors: 0, Skipped: 0$/m]
  }
]

/** Recipes that need a vendor or a container engine: checked against published schemas. */
export const CHECKED = ['compose', 'github-actions', 'gitlab-ci'] as const

/** The folders in `examples/`. */
export const foldersOfExamples = (): string[] =>
  readdirSync(EXAMPLES, { withFileTypes: true }).flatMap(one =>
    one.isDirectory() ? [one.name] : []
  )

/** The commands of the first block of a recipe's README. */
export function commandsOf({ name, without = [] }: Recipe): string[] {
  const [, block = ''] =
    /```sh\n([\s\S]*?)```/.exec(readFileSync(`${EXAMPLES}${name}/README.md`, 'utf8')) ?? []
  return block.split('\n').filter(line => line !== '' && !without.includes(line))
}

/** Why something cannot run on this machine; null if it can. */
export function missingFor(
  { needs }: Pick<Recipe, 'needs'>,
  { CHROMIUM_PATH }: NodeJS.ProcessEnv
): string | null {
  for (const need of needs) {
    if (need === 'chromium') {
      if (!existsSync(CHROMIUM_PATH ?? '')) return 'CHROMIUM_PATH names no browser'
    } else {
      const [program, ...args] = NEEDS[need]
      if (spawnSync(program, args, { stdio: 'ignore' }).status !== 0)
        return `\`${NEEDS[need].join(' ')}\` fails`
    }
  }
  return null
}
