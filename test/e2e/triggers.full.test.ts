/** Webhooks, schedules and notifications in one process: `antichain serve`. */
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { outboundVariables } from '../../shared/config/outbound-variables.ts'
import { startReceiver } from '../../shared/triggers/outbound/local-receiver.fixture.ts'
import { signatureOf } from '../../shared/triggers/webhooks/signature.ts'
import { verifyExport } from '../verifier/verify.ts'
import {
  deliver,
  type RepositoryFiles,
  type GithubHost,
  pullRequestOf,
  pushOf,
  repository,
  signDelivery,
  startGithub,
  withPackage,
} from './github-host.ts'
import { createPlace, type Place, type RunningCommand, requireSuccess, waitUntil } from './place.ts'

const goldSdk = readFileSync(
  join(import.meta.dirname, '..', 'golden', 'provider', 'sdk.js'),
  'utf8',
)
const secret = 'a secret that both sides know'
const credential = 'ghs_credential'
/**
 * The command that requests an address of this machine needs the same allow list as the serving
 * process.
 */
const allowed = { [outboundVariables.networks]: '127.0.0.1/32', [outboundVariables.plain]: '1' }

let place: Place
let github: GithubHost
let receiver: Awaited<ReturnType<typeof startReceiver>>
let serving: RunningCommand | undefined
let url = ''

beforeAll(async () => {
  const manifest = JSON.stringify({ name: 'site', private: true })
  const createFiles = { 'gold.js': goldSdk, 'package.json': manifest }
  place = createPlace('small', { sdk: 'above', files: createFiles })
  github = await startGithub(credential)
  receiver = await startReceiver()
  requireSuccess(await place.run(['stack', 'init', 'dev']))
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
  const args = ['webhook', 'create', 'site', '--rules', 'rules.json', '--api-url', github.origin]
  requireSuccess(await place.run(args, { env }))
  const to = `${receiver.origin}/ops`
  const notificationArgs = [
    'notification',
    'create',
    'ops',
    '--url',
    to,
    '--events',
    'succeeded,drift',
  ]
  requireSuccess(await place.run(notificationArgs, { env }))
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
  const address = /Webhooks are received at (http:\/\/127\.0\.0\.1:\d+\/hooks\/)/
  const isThere = (): boolean => address.test(started.readOutput())
  await waitUntil(isThere, { what: 'a server', limitMs: 60_000 })
  url = `${address.exec(started.readOutput())?.[1] ?? ''}site`
}

async function end(): Promise<void> {
  serving?.kill('SIGKILL', 'group')
  await serving?.done
  serving = undefined
}

const createFiles = (value: number): RepositoryFiles => ({
  ...withPackage('infra'),
  'infra/Pulumi.yaml': 'name: small\nruntime: nodejs\n',
  'infra/Pulumi.dev.yaml': readFileSync(join(place.program, 'Pulumi.dev.yaml'), 'utf8'),
  'infra/index.js': `const { Thing } = require('./gold')\nif (require('dep') !== 1) throw new Error('no dep')\nexports.serial = new Thing('thing', { value: ${value} }).serial\n`,
  'infra/gold.js': goldSdk,
})

async function readHistory(): Promise<readonly { readonly result?: string }[]> {
  const ran = await place.run(['stack', 'history', '--json', '-s', 'dev'])
  return JSON.parse(requireSuccess(ran).out)
}

const findNotifications = (event: string) =>
  receiver.received.filter(({ body }) => body.includes(`"deployment.${event}"`))

test('a push that GitHub signed is deployed once, with a notification', async () => {
  const commit = github.commit(createFiles(1))
  const delivery = signDelivery(secret, 'push', pushOf(commit))
  const forged = signDelivery('another secret, of the same length', 'push', pushOf(commit))
  expect(await deliver(url, forged)).toMatchObject({
    status: 401,
    body: { code: 'WEBHOOK_REFUSED' },
  })
  expect(await deliver(url, delivery)).toMatchObject({ status: 202 })
  expect(await deliver(url, delivery)).toMatchObject({ status: 200, body: { kind: 'repeated' } })
  await waitUntil(() => findNotifications('succeeded').length > 0, {
    what: serving?.readOutput() ?? '',
    limitMs: 150_000,
  })
  expect(verifyExport(await place.exportState(), { sealed: true })).toEqual([])
  expect(await readHistory()).toMatchObject([{ result: 'succeeded' }])
  expect(place.listObjects()).toMatchObject([{ props: { value: 1 } }])
  await waitUntil(() => github.listStatuses(commit).length === 2, { what: 'both statuses' })
  expect(github.listStatuses(commit).map(({ state }) => state)).toEqual(['pending', 'success'])
  expect(findNotifications('succeeded')).toHaveLength(1)
  const much = { body: 'x'.repeat(1024 * 1024 + 1), headers: {} }
  expect(await deliver(url, much)).toMatchObject({ status: 413 })
}, 240_000)

test('a pull request is previewed, and the result is posted as a comment', async () => {
  const commit = github.commit(createFiles(2))
  const delivery = signDelivery(secret, 'pull_request', pullRequestOf(3, commit))
  expect(await deliver(url, delivery)).toMatchObject({ status: 202 })
  await waitUntil(() => github.listComments().size > 0, {
    what: serving?.readOutput() ?? '',
    limitMs: 150_000,
  })
  expect([...github.listComments().values()][0]).toMatch(/Preview of .* succeeded/)
  expect(github.listStatuses(commit).at(-1)).toMatchObject({ state: 'success' })
  expect(place.listObjects()).toMatchObject([{ props: { value: 1 } }])
  expect(await readHistory()).toHaveLength(1)
}, 240_000)

/**
 * Creates a schedule that runs once in a few seconds. The time is extended when the machine was too
 * busy to create it in time.
 */
async function scheduleSoon(): Promise<void> {
  for (let inMs = 5_000; ; inMs *= 2) {
    const due = Math.ceil((Date.now() + inMs) / 1000) * 1000
    const when = `at(${new Date(due).toISOString().slice(0, 19)})`
    requireSuccess(await place.run(['schedule', 'create', 'drift', '--when', when]))
    if (Date.now() < due) return
  }
}

test('a schedule that finds drift sends a signed notification', async () => {
  const folder = join(place.cloud, 'objects')
  const [name = ''] = readdirSync(folder)
  const object = JSON.parse(readFileSync(join(folder, name), 'utf8'))
  writeFileSync(
    join(folder, name),
    JSON.stringify({ ...object, props: { ...object.props, value: 99 } }),
  )
  await scheduleSoon()
  await waitUntil(() => findNotifications('drift').length > 0, {
    what: serving?.readOutput() ?? '',
    limitMs: 150_000,
  })
  const [{ body, headers } = { body: '', headers: {} as Record<string, string> }] =
    findNotifications('drift')
  const timestamp = String(headers['antichain-timestamp'])
  expect(headers['antichain-signature']).toBe(`v1=${signatureOf(secret, timestamp, body)}`)
  expect(JSON.parse(body)).toMatchObject({ stack: 'organization/small/dev', count: 1 })
  expect(await readHistory()).toHaveLength(1)
}, 240_000)

test('a deployment that ran while no process served is notified by the next serving process', async () => {
  await end()
  symlinkSync(join(place.home, 'node_modules'), join(place.program, 'node_modules'))
  requireSuccess(await place.run(['up', '--yes', '--skip-preview', '-s', 'dev']))
  expect(findNotifications('succeeded')).toHaveLength(1)
  await serve()
  await waitUntil(() => findNotifications('succeeded').length > 1, {
    what: serving?.readOutput() ?? '',
  })
  expect(findNotifications('succeeded')).toHaveLength(2)
}, 240_000)
