import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyExport } from '../verifier/verify.ts'
import { createPlace, type Place, requireSuccess } from './place.ts'
import { expectRefused } from './expect-refused.ts'
import { initDevStack, readExport, upArgs } from './exported-state.ts'

let place: Place

beforeAll(async () => {
  place = createPlace('faulty')
  await initDevStack(place)
  requireSuccess(await place.run(upArgs, { env: { PACKAGES: 'gold' } }))
})

afterAll(() => place.remove())

const lastWords = 'these are the last words of the plugin'

test.each<readonly [packages: string, ...parts: string[]]>([
  ['nowhere,elsewhere', 'pulumi-resource-nowhere', 'pulumi-resource-elsewhere', 'looked at'],
  ['not-executable', 'pulumi-resource-not-executable, which is not executable'],
  ['no-port', 'ended before it printed its port', 'the library libfaulty.so is missing'],
  ['no-number', "'Welcome to this plugin'"],
  ['dies-in-handshake', lastWords, 'failed the handshake', 'exit code 3'],
  ['dies-in-check', lastWords, 'during Check'],
  ['malformed-inputs', 'answered Check with a malformed value'],
])(
  'a provider of the kind %s fails the deployment and leaves the state valid',
  async (packages, ...patterns) => {
    const ran = await place.run(upArgs, { env: { PACKAGES: `gold,${packages}` } })
    expectRefused(ran, 'DEPLOYMENT_FAILED', patterns)
    const text = await place.exportState()
    expect(verifyExport(text, { sealed: true })).toEqual([])
    const { resources, pending } = readExport(text)
    expect(resources.filter(({ type }) => type.endsWith(':Thing')).map(({ id }) => id)).toEqual([
      'gold-1',
    ])
    expect(pending).toEqual([])
    expect(place.listProcesses()).toEqual([])
  },
  400_000,
)

test('a create during which the provider dies becomes a pending operation', async () => {
  const ran = await place.run(upArgs, { env: { PACKAGES: 'gold,dies-in-create' } })
  expectRefused(ran, 'DEPLOYMENT_FAILED', [lastWords, 'during Create'])
  const text = await place.exportState()
  expect(verifyExport(text, { sealed: true })).toEqual([])
  expect(readExport(text).pending).toEqual([{ name: 'dies-in-create', type: 'creating' }])
  const clear = ['refresh', '-y', '--skip-preview', '--clear-pending-creates', '-s', 'dev']
  requireSuccess(await place.run(clear))
  expect(readExport(await place.exportState()).pending).toEqual([])
})

test.each<readonly [packages: string, parts: string]>([
  ['malformed-outputs', 'answered Create with a malformed value'],
  ['no-id', 'without an id'],
])('a create with an unusable response (%s) fails the deployment', async (packages, patterns) => {
  const ran = await place.run(upArgs, { env: { PACKAGES: `gold,${packages}` } })
  expectRefused(ran, 'DEPLOYMENT_FAILED', [patterns])
  expect(verifyExport(await place.exportState(), { sealed: true })).toEqual([])
})
