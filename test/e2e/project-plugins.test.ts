import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSandbox, type Sandbox, requireSuccess } from './sandbox.ts'
import { expectRefused } from './expect-refused.ts'
import { initDevStack, upArgs } from './exported-state.ts'

const gold = resolve(import.meta.dirname, '../golden/provider/pulumi-resource-gold')
let sandbox: Sandbox
const env = {
  PULUMI_IGNORE_AMBIENT_PLUGINS: 'true',
  PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: '1',
}

beforeAll(async () => {
  sandbox = createSandbox('small')
  await initDevStack(sandbox)
})
afterAll(() => sandbox.remove())

const writeProject = (more: string): void =>
  writeFileSync(join(sandbox.program, 'Pulumi.yaml'), `name: small\nruntime: nodejs\n${more}`)

test('a provider in a folder of the project creates and deletes resources', async () => {
  expectRefused(await sandbox.run(upArgs, { env }), 'DEPLOYMENT_FAILED', [
    "no plugin 'pulumi-resource-gold'",
  ])
  writeProject('plugins:\n  providers:\n    - {name: gold, path: own}\n')
  expectRefused(await sandbox.run(upArgs, { env }), 'PROJECT_INVALID', [
    /plugin 'gold': no folder at .*own/,
  ])
  const folder = join(sandbox.program, 'own')
  mkdirSync(folder)
  const file = join(folder, 'pulumi-resource-gold')
  writeFileSync(file, `#!/bin/sh\nexec '${gold}' "$@"\n`)
  chmodSync(file, 0o755)
  requireSuccess(await sandbox.run(upArgs, { env }))
  expect(sandbox.listObjects().length).toBeGreaterThan(0)
  const destroyArgs = ['destroy', '--yes', '--skip-preview', '-s', 'dev']
  requireSuccess(await sandbox.run(destroyArgs, { env }))
  expect(sandbox.listObjects()).toEqual([])
})
