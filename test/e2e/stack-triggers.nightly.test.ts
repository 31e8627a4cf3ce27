/** Pulumi's commands for schedules, drift, webhooks and policies of a stack. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { outboundVariables } from '../../shared/config/outbound-variables.ts'
import { startHttpReceiver } from '../../shared/triggers/outbound/local-receiver.fixture.ts'
import { bodySignatureOf } from '../../shared/triggers/webhooks/webhook-signature.ts'
import {
  createSandbox,
  requireSuccess,
  type RunningCommand,
  type Sandbox,
  waitUntil,
} from './sandbox.ts'

const env = {
  [outboundVariables.allowedNetworks]: '127.0.0.1/32',
  [outboundVariables.plainHttp]: '1',
}
const goldSdk = readFileSync(
  join(import.meta.dirname, '..', 'golden', 'provider', 'sdk.js'),
  'utf8',
)
const secret = 'hmac key'

let sandbox: Sandbox
let receiver: Awaited<ReturnType<typeof startHttpReceiver>>
let server: RunningCommand | undefined

beforeAll(async () => {
  const manifest = JSON.stringify({ name: 'small', private: true })
  sandbox = createSandbox('small', {
    sdk: 'above',
    files: { 'gold.js': goldSdk, 'package.json': manifest },
  })
  receiver = await startHttpReceiver()
  requireSuccess(await sandbox.run(['stack', 'init', 'dev']))
}, 120_000)
afterAll(async () => {
  server?.kill('SIGKILL', 'group')
  await server?.done
  receiver?.close()
  sandbox?.remove()
})

/** Runs a subcommand of `stack`, whose arguments have no spaces, with further arguments. */
const runStack = (args: string, ...more: string[]) =>
  sandbox.run(['stack', ...args.split(' '), ...more], { env })
const run = async (args: string, ...more: string[]): Promise<string> =>
  requireSuccess(await runStack(args, ...more)).out.trim()
/** Returns a time that a schedule accepts, even if its command takes some seconds to start. */
const createAtExpression = (): string =>
  `at(${new Date(Date.now() + 15_000).toISOString().slice(0, 19)})`
const runJson = async (args: string, ...more: string[]): Promise<Record<string, unknown>> =>
  JSON.parse(await run(args, ...more, '--output', 'json')) as Record<string, unknown>

test('`stack schedule` creates, changes, lists and removes schedules, which `schedule ls` shows too', async () => {
  expect(await run('schedule list')).toBe('No schedules are configured for this stack.')
  const every = '0 */4 * * *'
  const drift = await runJson('schedule new --kind drift --auto-remediate --cron', every)
  expect(drift).toEqual({
    id: expect.stringMatching(/^pulumi-[0-9a-f]{12}$/),
    type: 'drift',
    settings: 'detect + auto-remediate',
    schedule: every,
    nextRun: expect.any(String),
    created: expect.any(String),
  })
  const raw = await runJson('schedule create --kind raw --operation refresh --cron', every)
  expect(raw).toMatchObject({ type: 'raw', settings: 'pulumi refresh' })
  const ttl = await runJson('schedule setup --kind ttl --once 2099-01-31T04:00:00+02:00')
  expect(ttl).toMatchObject({ type: 'ttl', schedule: 'Once', nextRun: '2099-01-31 02:00:00.000' })
  const removing = await runJson(
    'schedule new --kind ttl --once 2099-01-31T04:00:00Z --delete-after-destroy',
  )
  expect(removing['settings']).toBe('destroy + delete stack')
  const removingId = String(removing['id'])
  // A change of the time keeps the removal.
  expect(await runJson(`schedule edit ${removingId} --once 2099-02-28T04:00:00Z`)).toMatchObject({
    settings: 'destroy + delete stack',
    nextRun: '2099-02-28 04:00:00.000',
  })
  expect(await runJson(`schedule edit ${removingId} --delete-after-destroy=false`)).toMatchObject({
    settings: 'destroy',
  })
  await run(`schedule rm ${removingId} --yes`)
  const ours = requireSuccess(await sandbox.run(['schedule', 'ls'])).out
  expect(ours).toMatch(/refresh at 0 \*\/4 \* \* \* \(UTC\)/)
  const id = String(drift['id'])
  expect(await runJson(`schedule edit ${id} --auto-remediate=false`)).toMatchObject({
    settings: 'detect',
    schedule: every,
  })
  requireSuccess(await sandbox.run(['schedule', 'pause', id]))
  const changed = await runJson(`schedule modify ${id} --cron`, '5 * * * *')
  expect(changed).toMatchObject({ schedule: '5 * * * *' })
  // A paused schedule stays paused, and has no next run.
  expect(changed).not.toHaveProperty('nextRun')
  requireSuccess(await sandbox.run(['schedule', 'resume', id]))
  expect(await run(`schedule get ${id}`)).toMatch(
    /^ID: +pulumi-\w+\nType: +drift\nSettings: +detect\n/,
  )
  expect((await runJson('schedule ls --count 1'))['schedules']).toHaveLength(1)
  expect(await run('schedule ls')).toMatch(/^ID +TYPE +SETTINGS +SCHEDULE +NEXT RUN +LAST RUN/)
  const wrong = [
    ['schedule new', '--kind is required'],
    ['schedule new --kind raw --operation update', 'one of --cron and --once is required'],
    ['schedule new --kind ttl --cron *', '--cron is not valid for schedules of the kind ttl'],
    ['schedule new --kind raw --cron * --once x', '--cron and --once cannot be used together'],
    ['schedule new --kind raw --operation up --cron *', '--operation must be update, preview,'],
    ['schedule new --kind drift --cron *', 'cron takes five fields'],
    ['schedule new --kind drift --cron * --delete-after-destroy', 'is not valid for schedules of'],
    [`schedule edit ${id}`, 'pass at least one of --cron'],
    [`schedule edit ${id} --once x`, '--once is not valid for schedules of the kind drift'],
    ['schedule get none', "the schedule 'none' does not exist"],
    [`schedule rm ${id}`, '--yes must be passed in'],
  ] as const
  for (const [args, message] of wrong)
    expect([args, (await runStack(args)).err]).toEqual([args, expect.stringContaining(message)])
  expect(await run(`schedule rm ${id} --yes`)).toBe(`Removed schedule '${id}'.`)
  expect((await runJson('schedule list'))['schedules']).toHaveLength(2)
}, 240_000)

test('`stack webhook` manages the notifications of a stack, and a change keeps their secret', async () => {
  expect(await run('webhook list')).toBe('No webhooks are configured for this stack.')
  const create = `webhook new --name ops --url ${receiver.origin}/in --yes --secret`
  const hook = await runJson(create, secret)
  expect(JSON.stringify(hook)).not.toContain(secret)
  expect(hook).toMatchObject({
    projectName: 'small',
    stackName: 'dev',
    name: 'ops',
    format: 'raw',
    active: true,
    eventGroups: [],
    events: [],
    hasSecret: true,
  })
  const id = String(hook['id'])
  expect(await run(`webhook edit ${id} --active=false --add-event update_failed`)).toMatch(
    /Events: +update_failed\nActive: +no\nHas secret: +yes$/,
  )
  const ours = requireSuccess(await sandbox.run(['notification', 'ls'])).out
  expect(ours).toMatch(new RegExp(`${id} +paused +update_failed to .*, pulumi \\(ops\\)`))
  const ping = await runJson(`webhook ping ${id}`)
  expect(ping).toMatchObject({ kind: 'ping', responseCode: 200 })
  const redelivery = await run(`webhook delivery redeliver ${id} ${String(ping['id'])}`)
  expect(redelivery).toMatch(/Response code: +200/)
  const listed = await runJson(`webhook delivery list ${id} --count 3`)
  expect(listed).toMatchObject({ count: 1, deliveries: [{ id: ping['id'], kind: 'ping' }] })
  expect(receiver.received).toHaveLength(2)
  for (const { body, headers } of receiver.received)
    expect(headers['pulumi-webhook-signature']).toBe(bodySignatureOf(secret, body))
  expect(await run(`webhook update ${id} --secret`, '')).toMatch(/Has secret: +no$/)
  expect(await run('webhook ls')).toMatch(/^ID +NAME +URL .*\n.*\n\n1 webhook$/)
  const wrong = [
    [`webhook new --name a`, '--url is required'],
    [`webhook edit ${id} --add-group policies`, "webhooks have no group 'policies'"],
    [`webhook edit ${id} --add-group stacks`, "already contains the event 'update_failed'"],
    [`webhook edit ${id} --hook-format slack`, "webhooks have no format 'slack'"],
    [`webhook edit ${id} --hook-format signed`, 'needs a secret of at least 16 characters'],
    [`webhook delivery redeliver ${id} none`, "no delivery 'none'"],
    [`webhook remove ${id}`, '--yes must be passed in'],
  ] as const
  for (const [args, message] of wrong)
    expect([args, (await runStack(args)).err]).toEqual([args, expect.stringContaining(message)])
  expect(await run(`webhook remove ${id} -y`)).toBe(`Removed webhook '${id}'.`)
  expect(await runJson('webhook list')).toEqual({ webhooks: [], count: 0 })
}, 240_000)

test('drift is unknown before a first run has looked for it, and a stack has no policy packs', async () => {
  expect(await run('drift status')).toBe(
    'Drift detected:    unknown (no run has looked for drift yet)\nRun in progress:   no',
  )
  expect(await runJson('drift list --all')).toEqual({ driftRuns: [], count: 0, total: 0 })
  expect((await runStack('drift list --all --count 2')).err).toContain('cannot be used together')
  expect(await runJson('policy ls')).toEqual({
    stack: 'organization/small/dev',
    policyGroups: [],
    policyPacks: { audit: [], preventative: [] },
  })
})

test('after a login the commands use the API, and drift shows the runs of a schedule', async () => {
  server = sandbox.start(['serve', '--port', '0'], { env })
  const addressPattern = /The API is at (http:\/\/127\.0\.0\.1:\d+)/
  await waitUntil(() => addressPattern.test(server?.readOutput() ?? ''), { condition: 'a server' })
  const url = addressPattern.exec(server.readOutput())?.[1] ?? ''
  const token = requireSuccess(await sandbox.run(['token', 'create', '--admin'])).out.trim()
  requireSuccess(await sandbox.run(['login', url], { env: { ANTICHAIN_TOKEN: token } }))
  const hook = await runJson(`webhook new --name far --url ${receiver.origin}/in --yes`)
  expect(await runJson(`webhook ping ${String(hook['id'])}`)).toMatchObject({ responseCode: 200 })
  requireSuccess(await sandbox.run(['deploy', '-s', 'dev']))
  requireSuccess(await sandbox.run(['schedule', 'create', 'look', '--when', createAtExpression()]))
  const readStatus = () => runJson('drift status')
  await waitUntil(async () => (await readStatus())['latestDriftRun'] !== '', {
    condition: 'a run that detects drift',
    limitMs: 90_000,
  })
  expect(await readStatus()).toMatchObject({ driftDetected: false, runInProgress: false })
  const { latestDriftRun } = await readStatus()
  expect(await runJson('drift ls')).toMatchObject({
    count: 1,
    total: 1,
    driftRuns: [{ id: latestDriftRun, status: 'succeeded', driftDetected: false }],
  })
  expect(await run('drift list')).toMatch(/^ID +CREATED.*\nlook-\d+ .*\n\nShowing 1 of 1 runs$/)
  expect(await runJson('schedule get look')).toHaveProperty('lastRun')
  // A schedule can be paused after a run.
  requireSuccess(await sandbox.run(['schedule', 'pause', 'look']))
}, 240_000)

test('a schedule destroys the resources of a stack, and removes the stack a minute later', async () => {
  const create = ['schedule', 'create', 'end', '--remove-stack', '--when']
  const wrong = await sandbox.run([...create, 'at(2099-01-31T04:00:00)'])
  expect(wrong.err).toContain('--remove-stack requires --operation destroy')
  requireSuccess(await sandbox.run([...create, createAtExpression(), '--operation', 'destroy']))
  const { out } = requireSuccess(await sandbox.run(['schedule', 'ls']))
  expect(out).toMatch(/destroy at at\(.*\) \(UTC\), then remove the stack/)
  const readStacks = async () => requireSuccess(await sandbox.run(['stack', 'ls', '--json'])).out
  expect(JSON.parse(await readStacks())).toHaveLength(1)
  await waitUntil(async () => (await readStacks()).trim() === '[]', {
    condition: 'the removal of the stack',
    limitMs: 200_000,
  })
  expect(sandbox.listObjects()).toEqual([])
}, 300_000)
