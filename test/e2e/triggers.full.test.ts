/** Webhooks, schedules and notifications where one process serves it all: `antichain serve`. */
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { outboundVariables } from '../../shared/config/outbound-variables.ts'
import { startReceiver } from '../../shared/triggers/outbound/local-receiver.fixture.ts'
import { signatureOf } from '../../shared/triggers/webhooks/signature.ts'
import { verifyExport } from '../verifier/verify.ts'
import { deliver, type Files, type GithubHost, pullRequestOf, pushOf } from './github.ts'
import { repository, signedDelivery, startGithub, withPackage } from './github.ts'
import { createPlace, type Place, type RunningCommand, succeeded, until } from './place.ts'

const goldSdk = readFileSync(
  join(import.meta.dirname, '..', 'golden', 'provider', 'sdk.js'),
  'utf8',
)
const secret = 'a secret that both sides know'
const credential = 'ghs_credential'
/** Who asks for an address of this machine is held to the same list as who serves. */
const allowed = { [outboundVariables.networks]: '127.0.0.1/32', [outboundVariables.plain]: '1' }

let place: Place
let github: GithubHost
let receiver: Awaited<ReturnType<typeof startReceiver>>
let serving: RunningCommand | undefined
let url = ''

beforeAll(async () => {
  const manifest = JSON.stringify({ name: 'site', private: true })
  const files = { 'gold.js': goldSdk, 'package.json': manifest }
  place = createPlace('small', { sdk: 'above', files })
  github = await startGithub(credential)
  receiver = await startReceiver()
  succeeded(await place.run(['stack', 'init', 'dev']))
  await serve()
  const rules = [
    {
      on: 'push',
      repository,
      branches: ['main'],
      stack: 'organization/small/dev',
      folder: 'infra',
    },
    { on: 'pull-request', repository, stack: 'organization/small/dev', folder: 'infra' },
  ]
  writeFileSync(join(place.program, 'rules.json'), JSON.stringify(rules))
  const env = { ...allowed, ANTICHAIN_SECRET: secret, ANTICHAIN_CREDENTIAL: credential }
  const words = ['webhook', 'create', 'site', '--rules', 'rules.json', '--api-url', github.origin]
  succeeded(await place.run(words, { env }))
  const to = `${receiver.origin}/ops`
  const asked = ['notification', 'create', 'ops', '--url', to, '--events', 'succeeded,drift']
  succeeded(await place.run(asked, { env }))
}, 240_000)
afterAll(async () => {
  await end()
  github?.close()
  receiver?.close()
  place?.remove()
})

async function serve(): Promise<void> {
  const started = place.start(['serve', '--port', '0'], { env: allowed })
  serving = started
  const address = /Webhooks are taken at (http:\/\/127\.0\.0\.1:\d+\/hooks\/)/
  const isThere = (): boolean => address.test(started.said())
  await until(isThere, { what: 'a server', limitMs: 60_000 })
  url = `${address.exec(started.said())?.[1] ?? ''}site`
}

async function end(): Promise<void> {
  serving?.kill('SIGKILL', 'group')
  await serving?.done
  serving = undefined
}

const files = (value: number): Files => ({
  ...withPackage('infra'),
  'infra/Pulumi.yaml': 'name: small\nruntime: nodejs\n',
  'infra/Pulumi.dev.yaml': readFileSync(join(place.program, 'Pulumi.dev.yaml'), 'utf8'),
  'infra/index.js': `const { Thing } = require('./gold')\nif (require('dep') !== 1) throw new Error('no dep')\nexports.serial = new Thing('thing', { value: ${value} }).serial\n`,
  'infra/gold.js': goldSdk,
})

async function history(): Promise<readonly { readonly result?: string }[]> {
  const ran = await place.run(['stack', 'history', '--json', '-s', 'dev'])
  return JSON.parse(succeeded(ran).out)
}

const told = (event: string) =>
  receiver.received.filter(({ body }) => body.includes(`"deployment.${event}"`))

test('a push that GitHub signed is deployed, once, and told of', async () => {
  const commit = github.commit(files(1))
  const delivery = signedDelivery(secret, 'push', pushOf(commit))
  const forged = signedDelivery('another secret, of the same length', 'push', pushOf(commit))
  expect(await deliver(url, forged)).toMatchObject({
    status: 401,
    body: { code: 'WEBHOOK_REFUSED' },
  })
  expect(await deliver(url, delivery)).toMatchObject({ status: 202 })
  expect(await deliver(url, delivery)).toMatchObject({ status: 200, body: { kind: 'repeated' } })
  await until(() => told('succeeded').length > 0, { what: serving?.said() ?? '', limitMs: 150_000 })
  expect(verifyExport(await place.exported(), { sealed: true })).toEqual([])
  expect(await history()).toMatchObject([{ result: 'succeeded' }])
  expect(place.objects()).toMatchObject([{ props: { value: 1 } }])
  await until(() => github.statuses(commit).length === 2, { what: 'both statuses' })
  expect(github.statuses(commit).map(({ state }) => state)).toEqual(['pending', 'success'])
  expect(told('succeeded')).toHaveLength(1)
  const much = { body: 'x'.repeat(1024 * 1024 + 1), headers: {} }
  expect(await deliver(url, much)).toMatchObject({ status: 413 })
}, 240_000)

test('a pull request is previewed and answered', async () => {
  const commit = github.commit(files(2))
  const delivery = signedDelivery(secret, 'pull_request', pullRequestOf(3, commit))
  expect(await deliver(url, delivery)).toMatchObject({ status: 202 })
  await until(() => github.comments().size > 0, { what: serving?.said() ?? '', limitMs: 150_000 })
  expect([...github.comments().values()][0]).toMatch(/Preview of .* succeeded/)
  expect(github.statuses(commit).at(-1)).toMatchObject({ state: 'success' })
  expect(place.objects()).toMatchObject([{ props: { value: 1 } }])
  expect(await history()).toHaveLength(1)
}, 240_000)

/** Makes a schedule that runs once in a moment; a busy machine needs longer to make it. */
async function scheduleSoon(): Promise<void> {
  for (let inMs = 5_000; ; inMs *= 2) {
    const due = Math.ceil((Date.now() + inMs) / 1000) * 1000
    const when = `at(${new Date(due).toISOString().slice(0, 19)})`
    succeeded(await place.run(['schedule', 'create', 'drift', '--when', when]))
    if (Date.now() < due) return
  }
}

test('a schedule finds a drift and tells of it, signed', async () => {
  const folder = join(place.cloud, 'objects')
  const [name = ''] = readdirSync(folder)
  const object = JSON.parse(readFileSync(join(folder, name), 'utf8'))
  writeFileSync(
    join(folder, name),
    JSON.stringify({ ...object, props: { ...object.props, value: 99 } }),
  )
  await scheduleSoon()
  await until(() => told('drift').length > 0, { what: serving?.said() ?? '', limitMs: 150_000 })
  const [{ body, headers } = { body: '', headers: {} as Record<string, string> }] = told('drift')
  const timestamp = String(headers['antichain-timestamp'])
  expect(headers['antichain-signature']).toBe(`v1=${signatureOf(secret, timestamp, body)}`)
  expect(JSON.parse(body)).toMatchObject({ stack: 'organization/small/dev', count: 1 })
  expect(await history()).toHaveLength(1)
}, 240_000)

test('a deployment that a command ran while nobody served is told of when somebody does', async () => {
  await end()
  symlinkSync(join(place.home, 'node_modules'), join(place.program, 'node_modules'))
  succeeded(await place.run(['up', '--yes', '--skip-preview', '-s', 'dev']))
  expect(told('succeeded')).toHaveLength(1)
  await serve()
  await until(() => told('succeeded').length > 1, { what: serving?.said() ?? '' })
  expect(told('succeeded')).toHaveLength(2)
}, 240_000)
