import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyExport } from '../verifier/verify.ts'
import { createPlace, type Place, succeeded } from './place.ts'
import { expectRefused } from './refused.ts'
import { initStack, readExport, up } from './state.ts'

let place: Place

beforeAll(async () => {
  place = createPlace('faulty')
  await initStack(place)
  succeeded(await place.run(up, { env: { PACKAGES: 'gold' } }))
})

afterAll(() => place.remove())

const lastWords = 'these are the last words of the plugin'

test.each<readonly [packages: string, ...words: string[]]>([
  ['nowhere,elsewhere', 'pulumi-resource-nowhere', 'pulumi-resource-elsewhere', 'looked at'],
  ['not-executable', 'pulumi-resource-not-executable, which is not executable'],
  ['no-port', 'ended before it printed its port', 'the library libfaulty.so is missing'],
  ['no-number', "'Welcome to this plugin'"],
  ['dies-in-handshake', lastWords, 'failed the handshake', 'exit code 3'],
  ['dies-in-check', lastWords, 'during Check'],
  ['malformed-inputs', 'answered Check with a malformed value'],
])(
  'a provider that is %s fails the deployment and harms no state',
  async (packages, ...words) => {
    const ran = await place.run(up, { env: { PACKAGES: `gold,${packages}` } })
    expectRefused(ran, 'DEPLOYMENT_FAILED', words)
    const text = await place.exported()
    expect(verifyExport(text, { sealed: true })).toEqual([])
    const { resources, pending } = readExport(text)
    expect(resources.filter(({ type }) => type.endsWith(':Thing')).map(({ id }) => id)).toEqual([
      'gold-1',
    ])
    expect(pending).toEqual([])
    expect(place.processes()).toEqual([])
  },
  400_000,
)

test('a create during which the provider dies stays as a pending operation', async () => {
  const ran = await place.run(up, { env: { PACKAGES: 'gold,dies-in-create' } })
  expectRefused(ran, 'DEPLOYMENT_FAILED', [lastWords, 'during Create'])
  const text = await place.exported()
  expect(verifyExport(text, { sealed: true })).toEqual([])
  expect(readExport(text).pending).toEqual([{ name: 'dies-in-create', type: 'creating' }])
  const clear = ['refresh', '-y', '--skip-preview', '--clear-pending-creates', '-s', 'dev']
  succeeded(await place.run(clear))
  expect(readExport(await place.exported()).pending).toEqual([])
})

test.each<readonly [packages: string, words: string]>([
  ['malformed-outputs', 'answered Create with a malformed value'],
  ['no-id', 'without an id'],
])('a create whose answer is useless (%s) fails the deployment', async (packages, words) => {
  const ran = await place.run(up, { env: { PACKAGES: `gold,${packages}` } })
  expectRefused(ran, 'DEPLOYMENT_FAILED', [words])
  expect(verifyExport(await place.exported(), { sealed: true })).toEqual([])
})
