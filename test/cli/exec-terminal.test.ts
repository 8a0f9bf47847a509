import { fileURLToPath } from 'node:url'
import t from 'tap'
import { linesWritten, running, scenarioIn, script } from './exec-run.js'

const WITH_TERMINAL = fileURLToPath(new URL('./with-terminal.cjs', import.meta.url))

t.test('exec: keys of a terminal reach the command once; other signals are passed on', async t => {
  const code = `
for (const signal of ['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGHUP']) process.on(signal, () => { console.log(signal); if (signal === 'SIGHUP') process.exit(5) })
console.log('ready ' + process.pid)
setInterval(() => {}, 1000)`
  const exec = running(t, ['exec', '--scenario', scenarioIn(t), '--', ...script(code)], {
    nodeArgs: ['--require', WITH_TERMINAL]
  })
  const lines = () => exec.stdout().split('\n').slice(0, -1)
  await linesWritten(exec, 1)
  const command = Number(lines()[0]?.split(' ')[1])

  exec.child.kill('SIGINT')
  exec.child.kill('SIGQUIT')
  exec.child.kill('SIGTERM')
  await linesWritten(exec, 2)
  t.strictSame(
    lines().slice(1),
    ['SIGTERM'],
    'an interrupt that only exec received goes no further, and exec keeps running'
  )
  // as a terminal does
  exec.child.kill('SIGINT')
  process.kill(command, 'SIGINT')
  await linesWritten(exec, 3)
  exec.child.kill('SIGHUP')

  t.equal(await exec.ended, 5)
  t.strictSame(lines().slice(1), ['SIGTERM', 'SIGINT', 'SIGHUP'])
})
