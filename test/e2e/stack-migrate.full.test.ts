import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSandbox, requireSuccess } from './sandbox.ts'

test('a stack of a backend is migrated under another name, and needs no changes afterwards', async () => {
  const sandbox = createSandbox('many')
  const backend = join(sandbox.program, '..', 'backend')
  mkdirSync(backend, { recursive: true })
  const backendEnv = { PULUMI_BACKEND_URL: `file://${backend}`, COUNT: '3', DELAY: '0' }
  const localEnv = { COUNT: '3', DELAY: '0' }
  try {
    requireSuccess(await sandbox.run(['stack', 'init', 'dev'], { env: backendEnv }))
    requireSuccess(await sandbox.run(['up', '--yes', '--skip-preview'], { env: backendEnv }))
    const before = sandbox.listObjects()
    const migrate = ['stack', 'migrate', `file://${backend}`, 'dev', '--target', 'prod']
    expect((await sandbox.run(migrate)).err).toContain('--yes must be passed in')
    const { err } = requireSuccess(await sandbox.run([...migrate, '--yes']))
    expect(err).toContain('The command copied organization/many/dev to organization/many/prod.')
    const preview = ['preview', '--expect-no-changes', '-s', 'prod']
    requireSuccess(await sandbox.run(preview, { env: localEnv }))
    requireSuccess(
      await sandbox.run(['preview', '-s', 'dev', '--expect-no-changes'], { env: backendEnv }),
    )
    expect(sandbox.listObjects()).toEqual(before)
    const destroy = ['destroy', '--yes', '--skip-preview', '-s', 'prod']
    requireSuccess(await sandbox.run(destroy, { env: localEnv }))
    expect(sandbox.listObjects()).toEqual([])
  } finally {
    sandbox.remove()
  }
}, 240_000)
