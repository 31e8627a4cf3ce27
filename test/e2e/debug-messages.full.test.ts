import { afterAll, beforeAll, expect, test } from 'vitest'
import { initDevStack } from './exported-state.ts'
import { createSandbox, requireSuccess, type Sandbox } from './sandbox.ts'

const program = `const pulumi = require('@pulumi/pulumi')
const component = new pulumi.ComponentResource('test:index:Component', 'component')
pulumi.log.debug('a debug message', component)
pulumi.log.info('an info message', component)
`

let sandbox: Sandbox

beforeAll(async () => {
  sandbox = createSandbox('small', { files: { 'index.js': program } })
  await initDevStack(sandbox)
})
afterAll(() => sandbox.remove())

test('debug messages of a program and of its SDK are shown with --debug only', async () => {
  const preview = ['preview', '--stack', 'dev']
  const { out } = requireSuccess(await sandbox.run(preview))
  expect(out).toContain('an info message')
  expect(out).not.toContain('debug message')
  const debugged = requireSuccess(await sandbox.run([...preview, '--debug'])).out
  for (const text of ['an info message', 'a debug message', 'Registering resource: '])
    expect(debugged).toContain(text)
})
