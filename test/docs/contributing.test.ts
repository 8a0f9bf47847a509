/** Everything that CONTRIBUTING.md and the issue forms name exists. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { parse } from 'yaml'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const GUIDE = read('.github/CONTRIBUTING.md')

t.test('contributing: every named file, script and test title exists', async t => {
  const files = [...GUIDE.matchAll(/`((?:src|test|docs|examples)\/[^`\s]*)`/g)]
    .map(([, path = '']) => path)
    .filter(path => !/[*]|FAMILY|\.vitepress/.test(path))
  t.ok(files.length > 30)
  for (const path of files) t.equal(existsSync(new URL(path, root)), true, path)
  const { scripts } = JSON.parse(read('package.json'))
  for (const [, name = ''] of GUIDE.matchAll(/npm run ([a-z:]+)/g))
    t.ok(name in scripts, `npm run ${name}`)
})

/** Whether a pattern of the file names of package.json matches a file. */
const matcherOf = (file: string) => (pattern: string) =>
  new RegExp(
    `^${pattern
      .replace('**/', '(.*/)?')
      .replace(/(?<![.)])\*/g, '[^/]*')
      .replace(/\{(.*)\}/, (_, names: string) => `(${names.replaceAll(',', '|')})`)}$`
  ).test(file)

t.test('npm test: every test file runs once, alone or with its folder', async t => {
  const files = ['scripts', 'test'].flatMap(folder =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' }).map(
      file => `${folder}/${file}`
    )
  )
  const filesOf = (patterns: string[]) => files.filter(file => patterns.some(matcherOf(file)))
  const started = filesOf(JSON.parse(read('package.json')).tap.include)
  const folders = started.flatMap(
    file => /^await runTogether\((.*)\)$/m.exec(read(file))?.[1]?.split(', ') ?? []
  )
  t.ok(folders.length > 10)
  const loaded = folders.flatMap(folder => filesOf([`test/${folder.slice(1, -1)}/*.test.ts`]))

  t.strictSame(
    [...started, ...loaded].sort(),
    filesOf(['test/**/*.test.ts', 'scripts/*.test.mjs']).sort()
  )
})

t.test('contributing: each kind of addition has five steps, and a test that fails', async t => {
  const sections = GUIDE.split(/^## /m).filter(section => section.startsWith('A new '))
  t.equal(sections.length, 7)
  for (const section of sections) {
    const title = section.split('\n')[0] as string
    t.equal(section.match(/^\d\. /gm)?.length, 5, title)
    const [, file = '', quoted = ''] =
      /\*\*Fails first:\*\* (?:`([^`]+)`, )?"([^"]+)"/.exec(section) ?? []
    const named = file || (/`(test\/[^`]+)`/.exec(section)?.[1] as string)
    t.ok(quoted && read(named).includes(quoted), `${title}: ${named} has "${quoted}"`)
  }
})

t.test('issues: each form has a name, a description, and asks for what is needed', async t => {
  const forms = readdirSync(new URL('.github/ISSUE_TEMPLATE', root)).filter(
    file => file !== 'config.yml'
  )
  for (const file of forms) {
    const form = parse(read(`.github/ISSUE_TEMPLATE/${file}`))
    t.equal(Object.keys(form).join(), 'name,description,labels,body', file)
    for (const { type, id, attributes } of form.body)
      t.ok(/^(textarea|input|dropdown)$/.test(type) && attributes.label, `${file} ${id}`)
    t.ok(
      form.body.some(
        ({ validations }: { validations?: { required?: boolean } }) => validations?.required
      ),
      file
    )
  }
})

t.test('docs.yml: what docs:site builds of main is published, with no more rights', async t => {
  const { on, jobs, permissions } = parse(read('.github/workflows/docs.yml'))
  t.strictSame(
    [on.push.branches, permissions, jobs.publish.permissions],
    [['main'], { contents: 'read' }, { pages: 'write', 'id-token': 'write' }]
  )
  const steps: { run?: string; with?: Record<string, string> }[] = jobs.build.steps
  t.equal(
    steps.flatMap(({ run }) => run ?? []).join(', '),
    'npm ci --ignore-scripts, npm run docs:site'
  )
  t.equal(steps.at(-1)?.with?.path, 'docs/.vitepress/dist')
  t.match(read('.gitignore'), 'docs/.vitepress/dist/')
})

t.test('readme: the two setup commands are at its top', async t => {
  const [top] = read('README.md').split(/^## /m)
  t.match(top, '```sh\nnpm ci && npm start\nnpm ci && npm test\n```')
})
