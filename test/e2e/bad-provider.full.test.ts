import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyExport } from '../verifier/verify.ts'
import { createSandbox, type Sandbox, requireSuccess } from './sandbox.ts'
import { expectRefused } from './expect-refused.ts'
import { initDevStack, parseExport, upArgs } from './exported-state.ts'

let sandbox: Sandbox

beforeAll(async () => {
  sandbox = createSandbox('faulty')
  await initDevStack(sandbox)
  requireSuccess(await sandbox.run(upArgs, { env: { PACKAGES: 'gold' } }))
})

afterAll(() => sandbox.remove())

const lastLine = 'these are the last words of the plugin'

test.each<readonly [packages: string, ...patterns: string[]]>([
  ['nowhere,elsewhere', 'pulumi-resource-nowhere', 'pulumi-resource-elsewhere', 'looked at'],
  ['not-executable', 'pulumi-resource-not-executable, which is not executable'],
  ['no-port', 'ended before it printed its port', 'the library libfaulty.so is missing'],
  ['no-number', "'Welcome to this plugin'"],
  ['dies-in-handshake', lastLine, 'failed the handshake', 'exit code 3'],
  ['dies-in-check', lastLine, 'during Check'],
  ['malformed-inputs', 'answered Check with a malformed value'],
])(
  'a provider of the kind %s fails the deployment and leaves the state valid',
  async (packages, ...patterns) => {
    const result = await sandbox.run(upArgs, { env: { PACKAGES: `gold,${packages}` } })
    expectRefused(result, 'DEPLOYMENT_FAILED', patterns)
    const text = await sandbox.exportState()
    expect(verifyExport(text, { sealed: true })).toEqual([])
    const { resources, pending } = parseExport(text)
    expect(resources.filter(({ type }) => type.endsWith(':Thing')).map(({ id }) => id)).toEqual([
      'gold-1',
    ])
    expect(pending).toEqual([])
    expect(sandbox.listProcesses()).toEqual([])
  },
  400_000,
)

test('a create during which the provider dies becomes a pending operation', async () => {
  const result = await sandbox.run(upArgs, { env: { PACKAGES: 'gold,dies-in-create' } })
  expectRefused(result, 'DEPLOYMENT_FAILED', [lastLine, 'during Create'])
  const text = await sandbox.exportState()
  expect(verifyExport(text, { sealed: true })).toEqual([])
  expect(parseExport(text).pending).toEqual([{ name: 'dies-in-create', type: 'creating' }])
  const clear = ['refresh', '-y', '--skip-preview', '--clear-pending-creates', '-s', 'dev']
  requireSuccess(await sandbox.run(clear))
  expect(parseExport(await sandbox.exportState()).pending).toEqual([])
})

test.each<readonly [packages: string, pattern: string]>([
  ['malformed-outputs', 'answered Create with a malformed value'],
  ['no-id', 'without an id'],
])('a create with an unusable response (%s) fails the deployment', async (packages, pattern) => {
  const result = await sandbox.run(upArgs, { env: { PACKAGES: `gold,${packages}` } })
  expectRefused(result, 'DEPLOYMENT_FAILED', [pattern])
  expect(verifyExport(await sandbox.exportState(), { sealed: true })).toEqual([])
})
