import t from 'tap'
import { running, said, scenarioIn, script } from './execution.js'

t.test('exec: Ctrl-C in a terminal, which reaches the command by itself, is not passed on to it again; other signals are', async t => {
  const code = `
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => { console.log(signal); if (signal === 'SIGHUP') process.exit(5) })
console.log('ready ' + process.pid)
setInterval(() => {}, 1000)`
  const exec = running(t, ['--scenario', scenarioIn(t), '--', ...script(code)], { onTerminal: true })
  const lines = () => exec.stdout().split('\n').slice(0, -1)
  await said(exec, 1)
  const command = Number(lines()[0]?.split(' ')[1])

  exec.kill('SIGINT')
  exec.kill('SIGTERM')
  await said(exec, 2)
  t.strictSame(lines().slice(1), ['SIGTERM'], 'an interrupt that exec alone was sent goes no further, and exec lives on')
  // what a terminal does
  exec.kill('SIGINT')
  process.kill(command, 'SIGINT')
  await said(exec, 3)
  exec.kill('SIGHUP')

  t.equal(await exec.ended, 5)
  t.strictSame(lines().slice(1), ['SIGTERM', 'SIGINT', 'SIGHUP'])
})
