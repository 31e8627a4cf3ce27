/** Webhooks, schedules and notifications in one process: `antichain serve`. */
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { outboundVariables } from '../../shared/config/outbound-variables.ts'
import { startHttpReceiver } from '../../shared/triggers/outbound/local-receiver.fixture.ts'
import { signatureOf } from '../../shared/triggers/webhooks/webhook-signature.ts'
import { verifyExport } from '../verifier/verify.ts'
import {
  sendWebhookDelivery,
  type RepositoryFiles,
  type GithubHost,
  createPullRequestBody,
  createPushBody,
  repository,
  signDelivery,
  startGithubHost,
  createPackageFiles,
} from './github-host.ts'
import { createPullDelivery, startOtherHost } from './non-github-hosts.ts'
import {
  createSandbox,
  type Sandbox,
  type RunningCommand,
  requireSuccess,
  waitUntil,
} from './sandbox.ts'

const goldSdk = readFileSync(
  join(import.meta.dirname, '..', 'golden', 'provider', 'sdk.js'),
  'utf8',
)
const secret = 'a secret that both sides know'
const credential = 'ghs_credential'
/**
 * The variables that allow requests to loopback addresses. The serving process needs them, and so
 * do the commands that check an address.
 */
const loopbackEnv = {
  [outboundVariables.allowedNetworks]: '127.0.0.1/32',
  [outboundVariables.plainHttp]: '1',
}

let sandbox: Sandbox
let github: GithubHost
let receiver: Awaited<ReturnType<typeof startHttpReceiver>>
let serving: RunningCommand | undefined
let url = ''

beforeAll(async () => {
  const manifest = JSON.stringify({ name: 'site', private: true })
  const files = { 'gold.js': goldSdk, 'package.json': manifest }
  sandbox = createSandbox('small', { sdk: 'above', files })
  github = await startGithubHost(credential)
  receiver = await startHttpReceiver()
  requireSuccess(await sandbox.run(['stack', 'init', 'dev']))
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
  writeFileSync(join(sandbox.program, 'rules.json'), JSON.stringify(rules))
  const env = { ...loopbackEnv, ANTICHAIN_SECRET: secret, ANTICHAIN_CREDENTIAL: credential }
  const args = ['webhook', 'create', 'site', '--rules', 'rules.json', '--api-url', github.origin]
  requireSuccess(await sandbox.run(args, { env }))
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
  requireSuccess(await sandbox.run(notificationArgs, { env }))
}, 240_000)
afterAll(async () => {
  await stopServing()
  github?.close()
  receiver?.close()
  sandbox?.remove()
})

async function serve(): Promise<void> {
  const started = sandbox.start(['serve', '--port', '0'], { env: loopbackEnv })
  serving = started
  const address = /Webhooks are received at (http:\/\/127\.0\.0\.1:\d+\/hooks\/)/
  const isListening = (): boolean => address.test(started.readOutput())
  await waitUntil(isListening, { condition: 'the server listens', limitMs: 60_000 })
  url = `${address.exec(started.readOutput())?.[1] ?? ''}site`
}

const readServingOutput = (): string => serving?.readOutput() ?? ''

async function stopServing(): Promise<void> {
  serving?.kill('SIGKILL', 'group')
  await serving?.done
  serving = undefined
}

const createFiles = (value: number): RepositoryFiles => ({
  ...createPackageFiles('infra'),
  'infra/Pulumi.yaml': 'name: small\nruntime: nodejs\n',
  'infra/Pulumi.dev.yaml': readFileSync(join(sandbox.program, 'Pulumi.dev.yaml'), 'utf8'),
  'infra/index.js': `const { Thing } = require('./gold')\nif (require('dep') !== 1) throw new Error('no dep')\nexports.serial = new Thing('thing', { value: ${value} }).serial\n`,
  'infra/gold.js': goldSdk,
})

async function readHistory(): Promise<readonly { readonly result?: string }[]> {
  const result = await sandbox.run(['stack', 'history', '--json', '-s', 'dev'])
  return JSON.parse(requireSuccess(result).out)
}

const findNotifications = (event: string) =>
  receiver.received.filter(({ body }) => body.includes(`"deployment.${event}"`))

test('a push that GitHub signed is deployed once, with a notification', async () => {
  const commit = github.commit(createFiles(1))
  const delivery = signDelivery(secret, 'push', createPushBody(commit))
  const forged = signDelivery('another secret, of the same length', 'push', createPushBody(commit))
  expect(await sendWebhookDelivery(url, forged)).toMatchObject({
    status: 401,
    body: { code: 'WEBHOOK_REFUSED' },
  })
  expect(await sendWebhookDelivery(url, delivery)).toMatchObject({ status: 202 })
  expect(await sendWebhookDelivery(url, delivery)).toMatchObject({
    status: 200,
    body: { kind: 'repeated' },
  })
  await waitUntil(() => findNotifications('succeeded').length > 0, {
    condition: readServingOutput,
    limitMs: 150_000,
  })
  expect(verifyExport(await sandbox.exportState(), { sealed: true })).toEqual([])
  expect(await readHistory()).toMatchObject([{ result: 'succeeded' }])
  expect(sandbox.listObjects()).toMatchObject([{ props: { value: 1 } }])
  await waitUntil(() => github.listStatuses(commit).length === 2, { condition: 'both statuses' })
  expect(github.listStatuses(commit).map(({ state }) => state)).toEqual(['pending', 'success'])
  expect(findNotifications('succeeded')).toHaveLength(1)
  const oversized = { body: 'x'.repeat(1024 * 1024 + 1), headers: {} }
  expect(await sendWebhookDelivery(url, oversized)).toMatchObject({ status: 413 })
}, 240_000)

test('a pull request is previewed, and the result is posted as a comment', async () => {
  const commit = github.commit(createFiles(2))
  const delivery = signDelivery(secret, 'pull_request', createPullRequestBody(3, commit))
  expect(await sendWebhookDelivery(url, delivery)).toMatchObject({ status: 202 })
  await waitUntil(() => github.listComments().size > 0, {
    condition: readServingOutput,
    limitMs: 150_000,
  })
  expect([...github.listComments().values()][0]).toMatch(/Preview of .* succeeded/)
  expect(github.listStatuses(commit).at(-1)).toMatchObject({ state: 'success' })
  expect(sandbox.listObjects()).toMatchObject([{ props: { value: 1 } }])
  expect(await readHistory()).toHaveLength(1)
}, 240_000)

test('pull requests of GitLab and Bitbucket Server are previewed, with a status and a comment', async () => {
  for (const form of ['gitlab', 'bitbucket-server'] as const) {
    const host = await startOtherHost(form, credential)
    const hostSecret = form === 'gitlab' ? `whsec_${'A'.repeat(44)}` : secret
    const env = { ...loopbackEnv, ANTICHAIN_SECRET: hostSecret, ANTICHAIN_CREDENTIAL: credential }
    const args = ['webhook', 'create', form, '--form', form, '--rules', 'rules.json']
    requireSuccess(await sandbox.run([...args, '--api-url', host.origin], { env }))
    const delivery = createPullDelivery(form, hostSecret, host.commit(createFiles(2)))
    const hook = url.replace(/site$/, form)
    expect(await sendWebhookDelivery(hook, delivery)).toMatchObject({ status: 202 })
    expect(await sendWebhookDelivery(hook, delivery)).toMatchObject({ body: { kind: 'repeated' } })
    await waitUntil(() => host.listComments().length > 0, {
      condition: () => `${form}: ${readServingOutput()}`,
      limitMs: 60_000,
    })
    expect([form, host.listComments()[0]]).toEqual([form, expect.stringContaining('succeeded')])
    expect(host.listStatuses().at(-1)).toMatchObject({ state: expect.stringMatching(/^success/i) })
    host.close()
  }
}, 240_000)

/**
 * Creates a schedule that runs once, a few seconds from now. A busy machine may create it too late.
 * Then the schedule gets a later time.
 */
async function scheduleSoon(): Promise<void> {
  for (let inMs = 5_000; ; inMs *= 2) {
    const due = Math.ceil((Date.now() + inMs) / 1000) * 1000
    const when = `at(${new Date(due).toISOString().slice(0, 19)})`
    const options = ['--all', '--project', 'small', '--jitter', '2', '--skip-read-within', '60']
    requireSuccess(await sandbox.run(['schedule', 'create', 'drift', '--when', when, ...options]))
    if (Date.now() < due) return
  }
}

test('a schedule of all stacks that finds drift sends a signed notification, and `drift ls` lists the drift', async () => {
  const folder = join(sandbox.cloud, 'objects')
  const [name = ''] = readdirSync(folder)
  const object = JSON.parse(readFileSync(join(folder, name), 'utf8'))
  writeFileSync(
    join(folder, name),
    JSON.stringify({ ...object, props: { ...object.props, value: 99 } }),
  )
  await scheduleSoon()
  await waitUntil(() => findNotifications('drift').length > 0, {
    condition: readServingOutput,
    limitMs: 150_000,
  })
  const [{ body, headers } = { body: '', headers: {} as Record<string, string> }] =
    findNotifications('drift')
  const timestamp = String(headers['antichain-timestamp'])
  expect(headers['antichain-signature']).toBe(`v1=${signatureOf(secret, timestamp, body)}`)
  expect(JSON.parse(body)).toMatchObject({ stack: 'organization/small/dev', count: 1 })
  const listed = requireSuccess(await sandbox.run(['drift', 'ls', '--drifted']))
  expect(listed.out).toMatch(/small\/dev +1 resource +\S+ +checked +drift/)
  expect(listed.out).toContain(
    '1 of 1 stacks have drift. The last runs of all stacks read 1 resources.',
  )
  const sql = "select kind, paths, request like 'shared schedule drift %' as scheduled from drift"
  const found = requireSuccess(await sandbox.run(['query', sql, '--json']))
  expect(JSON.parse(found.out)).toEqual([{ kind: 'update', paths: '["value"]', scheduled: 1 }])
  expect(await readHistory()).toHaveLength(1)
}, 240_000)

test('the next serving process sends the notification of a deployment that ran while none served', async () => {
  await stopServing()
  symlinkSync(join(sandbox.home, 'node_modules'), join(sandbox.program, 'node_modules'))
  requireSuccess(await sandbox.run(['up', '--yes', '--skip-preview', '-s', 'dev']))
  expect(findNotifications('succeeded')).toHaveLength(1)
  await serve()
  await waitUntil(() => findNotifications('succeeded').length > 1, {
    condition: readServingOutput,
  })
  expect(findNotifications('succeeded')).toHaveLength(2)
}, 240_000)
