import { afterEach, beforeEach, expect, test } from 'vitest'
import { verifyExport } from '../verifier/verify.ts'
import { createSandbox, findFilesWith, type Sandbox, requireSuccess } from './sandbox.ts'

const secret = 'swordfish-7f3a'

let sandbox: Sandbox

beforeEach(() => {
  sandbox = createSandbox('shop')
})

afterEach(() => sandbox.remove())

interface State {
  readonly deployment: {
    readonly resources?: readonly { readonly urn: string; readonly id?: string }[]
  }
}

async function readCheckedExport(): Promise<
  readonly { readonly name: string; readonly id: string }[]
> {
  const text = await sandbox.exportState()
  expect(verifyExport(text, { sealed: true })).toEqual([])
  expect(text).not.toContain(secret)
  expect(text).not.toContain('tok-sealed-token')
  const { deployment } = JSON.parse(text) as State
  return (deployment.resources ?? []).map(({ urn, id }) => ({
    name: urn.slice(urn.lastIndexOf('::') + 2),
    id: id ?? '',
  }))
}

const up = ['up', '--yes', '--skip-preview', '-s', 'dev']

test('a program is deployed, updated, refreshed and destroyed, and no secret is stored in plaintext', async () => {
  requireSuccess(await sandbox.run(['stack', 'init', 'dev']))
  requireSuccess(await sandbox.run(['config', 'set', '--secret', 'password', secret, '-s', 'dev']))

  requireSuccess(await sandbox.run(up))
  const first = await readCheckedExport()
  expect(sandbox.listObjects().map(({ id }) => id)).toEqual([
    'database-1',
    'old-1',
    'page-1',
    'server-1',
  ])
  expect(first.map(({ name }) => name)).toContain('note')

  const again = await sandbox.run([...up, '--expect-no-changes'])
  expect(again).toMatchObject({ exit: 0 })

  requireSuccess(await sandbox.run(up, { env: { STEP: '2' } }))
  const second = await readCheckedExport()
  expect(sandbox.listObjects().map(({ id }) => id)).toEqual([
    'database-1',
    'new-1',
    'page-1',
    'server-2',
  ])
  expect(second.map(({ id }) => id)).toContain('server-2')

  const outputs = requireSuccess(await sandbox.run(['stack', 'output', '--json', '-s', 'dev'])).out
  expect(JSON.parse(outputs)).toEqual({
    url: 'gold:none:server-2',
    token: '[secret]',
    password: '[secret]',
  })

  requireSuccess(await sandbox.run(['refresh', '--yes', '--skip-preview', '-s', 'dev']))
  await readCheckedExport()

  requireSuccess(await sandbox.run(['destroy', '--yes', '--skip-preview', '-s', 'dev']))
  expect(await readCheckedExport()).toEqual([])
  expect(sandbox.listObjects()).toEqual([])
  for (const text of [secret, 'tok-sealed-token'])
    expect(findFilesWith(sandbox.home, text)).toEqual([])
  expect(sandbox.listProcesses()).toEqual([])
})
