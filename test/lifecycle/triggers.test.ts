import { afterEach, beforeEach, expect, test } from 'vitest'
import { notifyEnded } from '../../functions/step-generator/send-notifications.ts'
import { runDueSchedule } from '../../functions/schedule/run-due-schedule.ts'
import type { ScheduleServer } from '../../functions/schedule/schedule-server.ts'
import { answerWebhook, type WebhookServer } from '../../functions/webhook/answer-webhook.ts'
import { sealingContextOf } from '../../shared/ports/documents.ts'
import type { EpochMs } from '../../shared/records/ids.ts'
import { deliverMessage } from '../../shared/triggers/notifications/deliver-message.ts'
import { startHttpReceiver } from '../../shared/triggers/outbound/local-receiver.fixture.ts'
import { scheduleDocument } from '../../shared/triggers/schedules/due-schedule.ts'
import { bodySignatureOf, signatureOf } from '../../shared/triggers/webhooks/webhook-signature.ts'
import {
  sealWebhook,
  webhookDraft,
  webhookKeyOf,
} from '../../shared/triggers/webhooks/webhook-document.ts'
import { reconcileStacks } from '../../functions/compaction/reconcile-stacks.ts'
import { approvalRuleKeyOf } from '../../shared/runtime/approvals/approval-rule.ts'
import { listApprovals } from '../../shared/runtime/approvals/stored-approval.ts'
import { createCloud } from './cloud.ts'
import { openFunctions, type TestFunctions } from './test-functions.ts'
import { ProcessKilledError } from './test-process.ts'
import { createThings } from './register-thing.ts'

const secret = 'a secret of sixteen characters and more'
const dashboardUrl = 'https://deploy.test/antichain/'
const commitOf = (digit: string): string => digit.repeat(40)
let functions: TestFunctions
let receiver: Awaited<ReturnType<typeof startHttpReceiver>>
let deliveries = 0

beforeEach(async () => {
  receiver = await startHttpReceiver()
  // The pull request has no comment yet.
  receiver.state.answer = ({ method }) =>
    method === 'GET' ? { status: 200, body: '[]' } : { status: 201, body: '{"id":1}' }
  functions = await openFunctions(createCloud(), createThings({ kept: { v: 1 }, gone: { v: 1 } }))
  const { platform, stack } = functions
  const rules = [
    { on: 'push', repository: 'acme/shop', branches: ['main'], stack },
    { on: 'pull-request', repository: 'acme/shop', stack },
  ]
  const fields = { form: 'github', secrets: [secret], credential: 'token', apiUrl: receiver.origin }
  const draft = webhookDraft.parse({ ...fields, rules })
  await platform.documents.put(
    webhookKeyOf('hook'),
    await sealWebhook(platform.sealing, 'hook', draft),
    0,
  )
  const key = { kind: 'notification', scope: '*', name: 'chat' } as const
  const events = ['started', 'succeeded', 'failed', 'drift', 'approval']
  const sealed = await platform.sealing.seal(secret, sealingContextOf(key))
  await platform.documents.put(key, { url: `${receiver.origin}/chat`, secret: sealed, events }, 0)
})
afterEach(async () => {
  await functions.close()
  receiver.close()
})

const createServer = (): WebhookServer & Pick<ScheduleServer, 'catalog'> => ({
  ...functions.platform,
  execute: 'functions',
  nudges: { nudge: async (stack, delayMs) => void functions.nudges.push({ stack, delayMs }) },
})

/** Sends a delivery in the form of GitHub. */
function deliverFromGithub(
  event: string,
  payload: object,
  id = `d${(deliveries += 1)}`,
  key = secret,
) {
  const body = JSON.stringify({ repository: { full_name: 'acme/shop' }, ...payload })
  const headers = {
    'x-github-event': event,
    'x-github-delivery': id,
    'x-hub-signature-256': `sha256=${bodySignatureOf(key, body)}`,
  }
  const request = { headers: new Map(Object.entries(headers)), body: Buffer.from(body) }
  return answerWebhook(createServer(), 'hook', request)
}
const push = (digit: string) => ({
  ref: 'refs/heads/main',
  before: commitOf('0'),
  after: commitOf(digit),
  created: false,
  deleted: false,
  forced: false,
  head_commit: { id: commitOf(digit) },
  commits: [{ added: ['a'], removed: [], modified: [] }],
})

/** Sends all waiting notifications, and returns the requests that reached the receiver. */
async function sendNotifications() {
  const { platform } = functions
  for (;;) {
    const deliveries = await platform.notifications.receive(10, 0)
    if (deliveries.length === 0) break
    for (const delivery of deliveries)
      await deliverMessage({ ...platform, outbound: receiver.outbound, dashboardUrl }, delivery)
  }
  return receiver.received
    .splice(0)
    .map(request => ({ ...request, json: JSON.parse(request.body === '' ? '{}' : request.body) }))
}
const readEvents = (received: Awaited<ReturnType<typeof sendNotifications>>) =>
  received.filter(({ url }) => url === '/chat').map(({ json }) => json.event)
const readStatusUrls = (received: Awaited<ReturnType<typeof sendNotifications>>) =>
  received.filter(({ url }) => url.includes('/statuses/')).map(({ json }) => json.target_url)
const readStates = (received: Awaited<ReturnType<typeof sendNotifications>>, digit: string) =>
  received
    .filter(({ url }) => url.endsWith(`/statuses/${commitOf(digit)}`))
    .map(({ json }) => json.state)

test('a push that GitHub signed becomes one deployment, with its status at the commit', async () => {
  expect((await deliverFromGithub('push', push('a'), 'one')).status).toBe(202)
  expect((await deliverFromGithub('push', push('a'), 'one')).body).toEqual({ kind: 'repeated' })
  expect(await functions.runToIdle()).toContain('ended')
  expect((await deliverFromGithub('push', push('a'), 'another id')).body).toEqual({
    kind: 'repeated',
  })
  await functions.runGenerator()
  const history = await functions.platform.catalog.listHistory(functions.stack, 10)
  const message = expect.stringContaining('main')
  expect(history).toMatchObject([{ result: 'succeeded', by: 'webhook hook', message }])
  expect(functions.cloud.mutatingCalls.toSorted()).toEqual(['create gone', 'create kept'])
  const received = await sendNotifications()
  expect(readEvents(received)).toEqual(['deployment.started', 'deployment.succeeded'])
  expect(readStates(received, 'a')).toEqual(['pending', 'success'])
  const target = 'https://deploy.test/antichain/#/stacks/life/dev/deployments/1'
  expect(readStatusUrls(received)).toEqual([target, target])
  const [first] = received.filter(({ url }) => url === '/chat')
  const timestamp = String(first?.headers['antichain-timestamp'])
  expect(first?.headers['antichain-signature']).toBe(
    `v1=${signatureOf(secret, timestamp, first?.body ?? '')}`,
  )
  expect(received.find(({ url }) => url.includes('statuses'))?.headers.authorization).toBe(
    'Bearer token',
  )
})

test('the notification of an end stays due until the claim of a dead notifier is gone', async () => {
  await deliverFromGithub('push', push('a'))
  await functions.runToIdle()
  await sendNotifications()
  const { platform, stack } = functions
  const [deployment] = await platform.catalog.listHistory(stack, 1)
  const taskId = `told ${deployment?.deployment}`
  await platform.marks.unmark(`done ${taskId}`)
  await platform.marks.mark(`claim ${taskId}`, (platform.clock.now() + 60_000) as EpochMs)
  const deps = { platform, notifier: platform }
  expect(await notifyEnded(deps, deployment)).toBe(false)
  expect(await platform.notifications.receive(10, 0)).toEqual([])
  await platform.marks.unmark(`claim ${taskId}`)
  expect(await notifyEnded(deps, deployment)).toBe(true)
  expect(await platform.notifications.receive(10, 0)).not.toEqual([])
})

test('a push with a wrong signature is refused and requests nothing', async () => {
  const refused = await deliverFromGithub('push', push('a'), 'one', 'another secret of this length')
  expect(refused).toMatchObject({ status: 401, body: { code: 'WEBHOOK_REFUSED' } })
  expect(await functions.platform.requests.listWaiting(functions.stack, 1)).toEqual([])
  expect(functions.nudges).toEqual([])
})

test('the last of several waiting pushes is deployed, and the others are reported as superseded', async () => {
  for (const digit of ['a', 'b', 'c'])
    expect((await deliverFromGithub('push', push(digit))).status).toBe(202)
  await functions.runToIdle()
  expect(await functions.platform.catalog.listHistory(functions.stack, 10)).toHaveLength(1)
  const received = await sendNotifications()
  expect(readStates(received, 'a')).toEqual(['error'])
  expect(readStates(received, 'b')).toEqual(['error'])
  expect(readStates(received, 'c')).toEqual(['pending', 'success'])
})

test('the changes of a pull request are posted as a comment', async () => {
  const fields = {
    action: 'opened',
    number: 7,
    pull_request: {
      updated_at: new Date().toISOString(),
      base: { ref: 'main' },
      head: { sha: commitOf('d'), repo: { full_name: 'acme/shop' } },
    },
  }
  expect((await deliverFromGithub('pull_request', fields)).status).toBe(202)
  await functions.runToIdle()
  expect(functions.cloud.mutatingCalls).toEqual([])
  const received = await sendNotifications()
  expect(readStates(received, 'd')).toEqual(['success'])
  const comment = received.find(
    ({ method, url }) => method === 'POST' && url.endsWith('/issues/7/comments'),
  )
  expect(comment?.json.body).toContain('3 create')
  expect(comment?.json.body).toContain('::kept')
  const [target = ''] = readStatusUrls(received)
  const plan = 'https://deploy.test/antichain/#/stacks/life/dev/plans/webhook%20hook%20'
  expect(target.startsWith(plan)).toBe(true)
  expect(comment?.json.body).toContain(`](${target})`)
  expect(readEvents(received)).toEqual([])
})

test('a plan that is not approved in time is reported once, at its commit and to the receivers of approvals', async () => {
  const { platform, stack, nudges } = functions
  const rule = { commands: ['up'], expiresAfterHours: 1e-6 }
  await platform.documents.put(approvalRuleKeyOf(stack), rule, 0)
  await deliverFromGithub('push', push('a'))
  await functions.runToIdle()
  const received = await sendNotifications()
  expect([readEvents(received), readStates(received, 'a')]).toEqual([
    ['deployment.approval'],
    ['pending'],
  ])
  const reconcile = () =>
    reconcileStacks({
      ...platform,
      nudges: {
        nudge: async (nudgedStack, delayMs, options) =>
          void nudges.push({ ...options, stack: nudgedStack, delayMs }),
      },
    })
  // A generator that crashed before its report left a claim, for which the next report waits.
  const claim = `claim expired ${stack} ${await readRequestKey()}`
  await platform.marks.mark(claim, (platform.clock.now() + 60_000) as EpochMs)
  await reconcile()
  await functions.runGenerator(nudges.shift())
  expect(await sendNotifications()).toEqual([])
  await platform.marks.unmark(claim)
  await reconcile()
  expect(nudges).toEqual([{ stack, delayMs: 0, reportsExpiredApprovals: true }])
  expect(await functions.runGenerator(nudges.shift())).toBe('idle')
  const expired = await sendNotifications()
  expect(readEvents(expired)).toEqual(['deployment.approval-expired'])
  expect(readStates(expired, 'a')).toEqual(['failure'])
  await reconcile()
  expect(nudges).toEqual([])
  await functions.runGenerator({ reportsExpiredApprovals: true })
  expect(await sendNotifications()).toEqual([])
})

/** Returns the key of the only approval of the stack. */
async function readRequestKey(): Promise<string | undefined> {
  return (await listApprovals(functions.platform.documents, functions.stack))[0]?.request
}

test('a request that cannot begin is reported with its error code', async () => {
  await functions.requestDeployment('bad')
  functions.nudges.push({ stack: functions.stack, delayMs: 0 })
  await functions.runToIdle()
  const [received] = await sendNotifications()
  expect(received?.json).toMatchObject({
    event: 'deployment.failed',
    request: 'bad',
    codes: ['PROJECT_INVALID'],
  })
})

test('the next generator reports an end if the previous process died before it sent the notification', async () => {
  await functions.requestDeployment('k')
  functions.nudges.push({ stack: functions.stack, delayMs: 0 })
  const kill = { effect: 1, call: 'catalog.release', when: 'after' } as const
  await expect(functions.runToIdle({ kill })).rejects.toThrow(ProcessKilledError)
  expect(readEvents(await sendNotifications())).toEqual(['deployment.started'])
  await functions.runGenerator()
  await functions.runGenerator()
  expect(readEvents(await sendNotifications())).toEqual(['deployment.succeeded'])
})

/** Creates an hourly refresh that is due. Returns a function that runs it if it is due. */
async function createDueRefresh(remediate: boolean) {
  const { platform, stack } = functions
  const key = { kind: 'schedule', scope: stack, name: 'hourly' } as const
  const createdAt = Date.now() - 3_700_000
  const value = { when: 'rate(1 hour)', operation: { kind: 'refresh', remediate }, createdAt }
  await platform.documents.put(key, scheduleDocument.parse(value), 0)
  return () => runDueSchedule({ ...createServer(), requests: platform.requests }, key)
}

test('a schedule reports drift, and remediates it if configured', async () => {
  await functions.requestDeployment('first')
  functions.nudges.push({ stack: functions.stack, delayMs: 0 })
  await functions.runToIdle()
  await sendNotifications()
  functions.cloud.drift()
  const runIfDue = await createDueRefresh(true)
  expect([await runIfDue(), await runIfDue()]).toEqual(['run', 'wait'])
  await functions.runToIdle()
  const received = await sendNotifications()
  expect(readEvents(received)).toEqual([
    'deployment.drift',
    'deployment.started',
    'deployment.succeeded',
  ])
  expect(received[0]?.json).toMatchObject({ stack: functions.stack, command: 'refresh', count: 2 })
  expect(received[0]?.json.urns.map((urn: string) => urn.split('::').at(-1)).toSorted()).toEqual([
    'gone',
    'kept',
  ])
  expect([...functions.cloud.objects.values()]).toEqual([{ v: 1 }, { v: 1 }])
  const history = await functions.platform.catalog.listHistory(functions.stack, 10)
  expect(history.map(({ by }) => by)).toEqual(['schedule hourly', 'a test'])
})

test('a schedule without drift reports nothing, and one for a busy stack is skipped', async () => {
  await functions.requestDeployment('first')
  const runIfDue = await createDueRefresh(false)
  expect(await runIfDue()).toBe('skip')
  functions.nudges.push({ stack: functions.stack, delayMs: 0 })
  await functions.runToIdle()
  await sendNotifications()
  await functions.platform.documents.put(
    { kind: 'schedule', scope: functions.stack, name: 'again' },
    scheduleDocument.parse({
      when: 'rate(1 hour)',
      operation: { kind: 'refresh' },
      createdAt: (Date.now() - 3_700_000) as EpochMs,
    }),
    0,
  )
  const key = { kind: 'schedule', scope: functions.stack, name: 'again' } as const
  expect(
    await runDueSchedule({ ...createServer(), requests: functions.platform.requests }, key),
  ).toBe('run')
  await functions.runToIdle()
  expect(await sendNotifications()).toEqual([])
  expect(await functions.platform.catalog.listHistory(functions.stack, 10)).toHaveLength(1)
})

test('a shared schedule finds drift, waits for a deployment, and skips a stack that was just read', async () => {
  const { platform, stack } = functions
  await functions.requestDeployment('first')
  functions.nudges.push({ stack, delayMs: 0 })
  await functions.runToIdle()
  functions.cloud.drift()
  const key = { kind: 'schedule', scope: '*', name: 'all' } as const
  const runIfDue = async (settings: object): Promise<string> => {
    const createdAt = Date.now() - 3_700_000
    const value = { when: 'rate(1 hour)', operation: { kind: 'refresh' }, createdAt, ...settings }
    const version = (await platform.documents.get(key))?.version ?? 0
    await platform.documents.put(key, scheduleDocument.parse(value), version)
    return runDueSchedule({ ...createServer(), requests: platform.requests }, key)
  }
  expect(await runIfDue({ stacks: { projects: ['another'] } })).toBe('run')
  expect(await platform.requests.listWaiting(stack, 9)).toEqual([])
  // The request of another deployment begins first, and the run waits.
  await functions.requestDeployment('second')
  expect(await runIfDue({ stacks: {} })).toBe('run')
  const waiting = await platform.requests.listWaiting(stack, 9)
  expect(waiting.map(({ key: name }) => name)).toEqual([
    'second',
    expect.stringMatching(/^shared schedule all \d+$/),
  ])
  await functions.runToIdle()
  const events = readEvents(await sendNotifications())
  expect(events.at(-1)).toBe('deployment.drift')
  const run = await platform.requests.find(stack, waiting[1]?.key ?? '')
  expect(run?.end).toMatchObject({ kind: 'previewed', result: 'succeeded' })
  // The schedule counts its hourly runs from `createdAt`, so its second run is due. The stack was
  // read just now.
  const createdAt = Date.now() - 7_300_000
  await runIfDue({
    stacks: {},
    skipReadWithinMs: 3_600_000,
    recentRuns: dueTimesOf(waiting),
    createdAt,
  })
  const [skipped] = await platform.requests.listWaiting(stack, 9)
  await functions.runToIdle()
  expect((await platform.requests.find(stack, skipped?.key ?? ''))?.end).toMatchObject({
    kind: 'refused',
    code: 'DRIFT_READ_RECENTLY',
  })
  expect(await sendNotifications()).toEqual([])
})

const dueTimesOf = (requests: readonly { readonly key: string }[]): number[] =>
  requests.flatMap(({ key }) => /^shared .* (\d+)$/.exec(key)?.slice(1).map(Number) ?? [])
