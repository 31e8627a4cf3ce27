import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { catalogue } from '../../shared/errors/catalogue.ts'

const importOf = (name: string, path: string): string =>
  `import { ${name} } from '${fileURLToPath(new URL(path, import.meta.url))}'`

// An uncaught exception would print a stack trace, and end the process with the exit code 1.
test('an error of an interrupt handler is reported, and ends the process with its exit code', () => {
  const program = [
    importOf('createTerminalIo', 'terminal-io.ts'),
    importOf('createError', '../../shared/errors/error.ts'),
    'setInterval(() => {}, 1_000)',
    'const fail = () => { throw createError("DEPLOYMENT_CANCELLED", "abandoned") }',
    'createTerminalIo().onInterrupt(fail)',
    'process.kill(process.pid, "SIGINT")',
  ]
  const args = ['--input-type=module', '--eval', program.join('\n')]
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect(status).toBe(catalogue.DEPLOYMENT_CANCELLED.exit)
  expect(stderr).toMatch(/^error\[DEPLOYMENT_CANCELLED\]: abandoned\n {2}hint: .*\n$/)
})
