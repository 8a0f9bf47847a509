/**
 * Several emulators behind one address: the balancer's configuration and the manifests match each
 * other and the emulator.
 */
import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { parse, parseAllDocuments } from 'yaml'
import { settingsOfEnvironment } from '../../src/cli/launch.js'
import { CATALOGUE } from '../../src/core/errors.js'
import { SETTING_KEYS, SETTINGS, settingsInForce, variableOf } from '../../src/core/settings.js'
import { isName } from '../../src/sandbox/saved/names.js'
import { VERSION } from '../../src/scenario/library.js'
import type { Json } from '../support/json.js'

const read = (name: string) =>
  readFileSync(new URL(`../../deploy/${name}`, import.meta.url), 'utf8')

/** An nginx directive: its words, and the directives in its braces. */
type Directive = { words: string[]; within: Directive[] }

/** Reads nginx's syntax: words, quoted or not, `;`, braces and comments. */
function directivesOf(text: string): Directive[] {
  const tokens = [
    ...text.matchAll(
      /#.*|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|[{};]|(?:[^\s;{}#'"]|(?<=\$)\{)+/g
    )
  ].filter(([token]) => !token.startsWith('#'))
  const read = (): Directive[] => {
    const directives: Directive[] = []
    let words: string[] = []
    for (let token = tokens.shift(); token !== undefined; token = tokens.shift()) {
      if (token[0] === '}') return directives
      if (token[0] === ';' || token[0] === '{') {
        directives.push({ words, within: token[0] === '{' ? read() : [] })
        words = []
      } else words.push(token[1] ?? token[2] ?? token[0])
    }
    return directives
  }
  return read()
}

const main = directivesOf(read('nginx.conf'))
const http = (main.find(({ words }) => words[0] === 'http') as Directive).within
const server = (http.find(({ words }) => words[0] === 'server') as Directive).within
const everything = (directives: Directive[]): Directive[] =>
  directives.flatMap(one => [one, ...everything(one.within)])
const all = everything(main)
const valuesOf = (name: string) =>
  all.filter(({ words }) => words[0] === name).map(({ words }) => words.slice(1).join(' '))
const upstream = (name: string) =>
  (http.find(({ words }) => words[0] === 'upstream' && words[1] === name) as Directive).within
const serversOf = (name: string) => upstream(name).filter(({ words }) => words[0] === 'server')
/** The processes that the balancer chooses from, as `emulator-0:4010`. */
const PROCESSES = serversOf('emulators').map(({ words }) => words[1] as string)
const PORT = String(SETTINGS.port.default)
/** MiB of a sandbox's records after a thousand requests (docs/scaling.md). */
const RECORDS = 0.5
/** The worker's heap limit above the heap, and resident memory above both, in MiB. */
const WORKER = 48
const RESIDENT = 170
const withPort = (name: string) => `${name}:${PORT}`
/** The default in `${NAME-default}`, for an unset variable. */
const defaultOf = (text: string) => text.replace(/^\$\{\w+-(.*)\}$/, '$1')

/** The result of an nginx map for a value; `$name` in it is a capture of the pattern. */
function mapped(variable: string, value: string): string {
  const { within } = http.find(
    ({ words }) => words[0] === 'map' && words[2] === variable
  ) as Directive
  const rules = within.filter(({ words }) => words[0] !== 'default')
  for (const { words } of rules) {
    const [pattern, result] = words as [string, string]
    const found = new RegExp(pattern.slice(1)).exec(value)
    if (found) return result.startsWith('$') ? (found.groups?.[result.slice(1)] as string) : result
  }
  return within.find(({ words }) => words[0] === 'default')?.words[1] ?? ''
}

t.test('nginx.conf: a sandbox is chosen by its name and never moved', async t => {
  t.strictSame(upstream('emulators')[0]?.words, ['hash', '$sandbox', 'consistent'])
  for (const { words } of all.filter(({ words }) => words[0] === 'server' && words.length > 1))
    t.strictSame(words.slice(2), ['max_fails=0'])
  t.strictSame(valuesOf('proxy_next_upstream'), ['off'])
  t.equal(new Set(PROCESSES).size, 3)
  for (const [number, process] of PROCESSES.entries()) {
    t.strictSame(serversOf(`process-${number}`)[0]?.words[1], process)
    t.equal(
      mapped('$process', `/_balancer/process/${number}/_control/sandboxes?x=1`),
      `process-${number}`
    )
    t.equal(
      mapped('$process_path', `/_balancer/process/${number}/_control/sandboxes?x=1`),
      '/_control/sandboxes?x=1'
    )
  }
  t.equal(mapped('$process', `/_balancer/process/${PROCESSES.length}/_control/health`), '')
  t.equal(mapped('$process', '/_balancer/process/0/next/locations'), '')
})

t.test('nginx.conf: it reads a name from an address as the emulator does', async t => {
  const names = [
    'a',
    'A.b_c-9',
    '9',
    'x'.repeat(64),
    'x'.repeat(65),
    '',
    '.a',
    '-a',
    'a b',
    'a%20b',
    'a%2Fb',
    'ä',
    '..'
  ]
  for (const name of names)
    for (const url of [
      `/sandbox/${name}`,
      `/sandbox/${name}/next/locations`,
      `/sandbox/${name}?a=/b`,
      `/_control/sandboxes/${name}`
    ]) {
      t.equal(mapped('$sandbox', url), isName(name) ? name : '', url)
      t.equal(
        mapped('$is_misnamed', `${mapped('$sandbox', url)}:${url}`),
        isName(name) ? 'no' : 'yes',
        url
      )
    }
  const nameless = [
    '/',
    '/next/locations',
    '/_control/reset',
    '/_control/sandboxes',
    '/sandbox',
    '/sandboxes/a',
    '/next/sandbox/a/next',
    '/next?a=/sandbox/a/'
  ]
  for (const url of nameless) {
    t.equal(mapped('$sandbox', url), '', url)
    t.equal(mapped('$is_misnamed', `:${url}`), 'no', url)
  }
})

t.test('nginx.conf: a request is passed on unchanged, and so is its response', async t => {
  const root = server.find(({ words }) => words[0] === 'location' && words[1] === '/') as Directive
  t.strictSame(root.within.at(-1)?.words, ['proxy_pass', 'http://emulators'], 'without a path')
  t.strictSame(
    [valuesOf('merge_slashes'), valuesOf('proxy_buffering'), valuesOf('proxy_http_version')],
    [['off'], ['off'], ['1.1']]
  )
  t.strictSame(valuesOf('proxy_set_header'), ['Host $host_as_sent', 'Connection '])
  for (const name of ['proxy_read_timeout', 'proxy_send_timeout', 'send_timeout'])
    t.strictSame(valuesOf(name), ['24h'], name)
  const [size] = valuesOf('client_max_body_size') as [string]
  t.equal(Number.parseInt(size, 10) * 2 ** 20, SETTINGS['limits.control_body'].default)
  // an ordinary user can run it
  t.strictSame(valuesOf('user'), [])
  t.strictSame([valuesOf('daemon'), valuesOf('include')], [[], []])
  t.strictSame(valuesOf('listen'), [PORT])
  for (const name of [
    'pid',
    'client_body_temp_path',
    'proxy_temp_path',
    'fastcgi_temp_path',
    'uwsgi_temp_path',
    'scgi_temp_path'
  ])
    t.match(valuesOf(name)[0], /^\/tmp\//, name)
})

t.test("nginx.conf: its own responses have the emulator's error shape", async t => {
  const types = new Set<string>(Object.values(CATALOGUE).map(({ type }) => type))
  const answers = all.filter(
    ({ words }) => words[0] === 'return' && words[2]?.startsWith('{"error"')
  )
  const shown = answers.map(({ words }) => {
    const { error, ...rest } = JSON.parse(words[2] as string)
    t.strictSame(rest, {})
    t.equal(types.has(error.type), true, error.type)
    t.match(error, { code: /^[a-z_]+$/, message: /^[A-Z$].*\.$/, request_id: 'lb_$request_id' })
    return [words[1], error.code]
  })
  t.strictSame(shown.sort(), [
    ['400', 'name_invalid'],
    ['400', 'request_malformed'],
    ['404', 'path_unknown'],
    ['413', 'body_too_large'],
    ['421', 'sandbox_not_named'],
    ['502', 'process_down']
  ])
})

const MIB = 2 ** 20

/** Checks variables and values against the settings, and that heap and memory are sufficient. */
async function checkEmulator(
  t: Test,
  { NODE_OPTIONS = '', ...environment }: Record<string, string>,
  memory: string
): Promise<void> {
  const known = SETTING_KEYS.map(variableOf)
  for (const [name, value] of Object.entries(environment)) {
    t.equal(known.includes(name), true, name)
    t.equal(typeof value, 'string', `${name} is text`)
  }
  const given = await settingsOfEnvironment(environment)
  t.match(given, { host: '0.0.0.0', port: Number(PORT) })
  t.equal(given.data, '/data/state')

  const { values } = settingsInForce({ environment: given })
  const heap = Number(/--max-old-space-size=(\d+)$/.exec(NODE_OPTIONS)?.[1])
  const needed = 32 + values['limits.sandboxes'] * (values['limits.journal_bytes'] / MIB + RECORDS)
  t.ok(needed <= heap, `${needed} MiB of ${heap}`)
  // documents on their way and one in the worker; bodies of the API on their way
  const bodies = (3 * values['limits.control_body'] + 64 * values['limits.body']) / MIB
  t.ok(heap + (heap + WORKER) + bodies + RESIDENT <= Number.parseInt(memory, 10), memory)
}

t.test('compose.yaml: three emulators, each with its own data', async t => {
  const { services, volumes, networks } = parse(read('compose.yaml'), { merge: true })
  const { balancer, ...named } = services
  const [names, emulators, everyone] = [
    Object.keys(named),
    Object.values<Json>(named),
    Object.values<Json>(services)
  ]
  t.strictSame(names.map(withPort), PROCESSES)

  const addressOf = (one: Json): string => one.networks.emulators.ipv4_address
  t.equal(new Set(everyone.map(addressOf)).size, everyone.length)
  for (const one of everyone) {
    t.equal(addressOf(one).replace(/\.\d+$/, '.0/24'), networks.emulators.ipam.config[0].subnet)
    t.match(one, {
      read_only: true,
      tmpfs: ['/tmp'],
      cap_drop: ['ALL'],
      restart: 'unless-stopped',
      stop_grace_period: /^\d+s$/
    })
  }
  t.strictSame(
    balancer.extra_hosts,
    names.map(name => `${name}:${addressOf(named[name])}`)
  )

  const mounted = emulators.flatMap(one => one.volumes)
  t.strictSame(
    mounted,
    Object.keys(volumes).map(name => `${name}:/data`)
  )
  t.strictSame(
    emulators.flatMap(({ build }) => build ?? []),
    ['..'],
    'the image is built once'
  )
  t.match(
    read('../Dockerfile'),
    /RUN mkdir .*\/data.* && chown 1000:0 (.*\/data.*) && chmod g=u \1 /,
    'a new volume belongs to the user of the image, and any user of group 0 writes to it'
  )
  for (const { image, healthcheck, environment, mem_limit } of emulators) {
    t.strictSame(
      [image, healthcheck.test],
      ['commerce-emulator', ['CMD', 'node', 'dist/main.js', 'healthcheck']]
    )
    await checkEmulator(
      t,
      { ...environment, DATA: defaultOf(environment.DATA), CONTROL_HOSTS: '', CONTROL_TOKEN: '' },
      mem_limit
    )
  }

  t.strictSame(balancer.volumes, ['./nginx.conf:/etc/nginx/nginx.conf:ro'])
  t.match(balancer.ports[0], new RegExp(`:${PORT}:${PORT}$`))
  t.equal(balancer.healthcheck.test.at(-1), `http://127.0.0.1:${PORT}/_balancer/health`)
  t.not(balancer.user.split(':')[0], '0')
})

t.test('kubernetes.yaml: its parts refer to each other and to nginx.conf correctly', async t => {
  const documents = parseAllDocuments(read('kubernetes.yaml'))
  for (const { errors } of documents) t.strictSame(errors, [])
  const objects = documents.map(document => document.toJS())
  const { resources, configMapGenerator, namespace, images } = parse(read('kustomization.yaml'))
  t.strictSame(resources, ['kubernetes.yaml'])
  const generated = configMapGenerator.map(({ name, files }: Json) => ({
    kind: 'ConfigMap',
    metadata: { name },
    data: Object.fromEntries(files.map((file: string) => [file, read(file)]))
  }))
  const named = (kind: string, name: string) =>
    [...objects, ...generated].find(one => one.kind === kind && one.metadata.name === name)
  const ids = objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`)
  t.equal(new Set(ids).size, ids.length)

  const { metadata } = named('Namespace', namespace)
  t.equal(metadata.labels['pod-security.kubernetes.io/enforce'], 'restricted')
  const [{ name: image, newTag }] = images

  const emulator = named('StatefulSet', 'emulator')
  t.strictSame([image, newTag], [emulator.spec.template.spec.containers[0].image, VERSION])
  const balancer = named('Deployment', 'balancer')
  t.equal(emulator.spec.replicas, PROCESSES.length)
  t.equal(named('Service', emulator.spec.serviceName).spec.clusterIP, 'None')
  for (const [number, process] of PROCESSES.entries()) {
    const [name, port] = process.split(':') as [string, string]
    const { spec } = named('Service', name)
    t.strictSame(spec.selector, { 'statefulset.kubernetes.io/pod-name': `emulator-${number}` })
    t.not(spec.clusterIP, 'None', 'an address that stays')
    t.equal(String(spec.ports[0].port), port)
  }
  const variables = named('ConfigMap', 'emulator').data
  await checkEmulator(
    t,
    variables,
    emulator.spec.template.spec.containers[0].resources.limits.memory
  )
  t.match(variables.CONTROL_HOSTS, new RegExp(`^commerce-emulator\\.${namespace},`))
  t.strictSame(emulator.spec.template.spec.containers[0].volumeMounts[0], {
    name: 'data',
    mountPath: '/data'
  })
  t.equal(named('Service', 'commerce-emulator').spec.selector['app.kubernetes.io/name'], 'balancer')

  for (const { spec } of [emulator, balancer]) {
    const { metadata, spec: pod } = spec.template
    t.match(metadata.labels, spec.selector.matchLabels)
    t.match(pod.securityContext, { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
    t.match(pod, { automountServiceAccountToken: false, enableServiceLinks: false })
    const [container] = pod.containers
    t.match(container.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] }
    })
    t.ok(container.resources.limits.memory && container.resources.requests.cpu)
    t.strictSame(container.ports, [{ name: 'http', containerPort: Number(PORT) }])
    for (const probe of ['readinessProbe', 'livenessProbe'])
      t.equal(container[probe].httpGet.port, 'http', probe)
    const claimed = (spec.volumeClaimTemplates ?? []).map((claim: Json) => claim.metadata.name)
    const mounted = container.volumeMounts.map(({ name }: Json) => name)
    t.strictSame(
      [...mounted].sort(),
      [...pod.volumes.map(({ name }: Json) => name), ...claimed].sort()
    )
    for (const { configMapRef, secretRef } of container.envFrom ?? []) {
      if (configMapRef) t.ok(named('ConfigMap', configMapRef.name))
      else
        t.strictSame(
          secretRef,
          { name: 'control', optional: true },
          'the token is no part of a manifest'
        )
    }
    for (const { configMap } of pod.volumes)
      if (configMap) t.ok(named('ConfigMap', configMap.name).data['nginx.conf'])
  }
  for (const { kind, spec } of objects) {
    if (kind !== 'Service') continue
    t.equal(spec.ports[0].targetPort, 'http')
    t.equal(String(spec.ports[0].port), PORT)
  }
})
