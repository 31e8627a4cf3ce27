/**
 * The partitions of both tables that the routes of the API use, compared with the role of the API.
 * A missing permission appears on AWS only. A new route needs a sample call that succeeds.
 */
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createApi } from '../../functions/api/create-api.ts'
import { startIssuer } from '../../shared/api/federation/issuer.fixture.ts'
import type { Route } from '../../shared/api/define-route.ts'
import { routes } from '../../functions/api/routes-table.ts'
import { createUsageRecorder } from '../../functions/aws/usage-recorder.ts'
import { createUsageMeter } from '../../shared/platform/aws/usage-meter.ts'
import { createToken } from '../../shared/api/issue-token.ts'
import { createSystemClock } from '../../shared/platform/system/clock.ts'
import {
  type EpochMs,
  type LogNumber,
  previewIdOf,
  stackIdOf,
  type WriterToken,
} from '../../shared/records/ids.ts'
import { rulesVersion } from '../../shared/records/log.ts'
import { putWaitingApproval } from '../../shared/runtime/approvals/stored-approval.ts'
import { envelopeOf, manifestOf, printEnvelope } from '../../shared/state/snapshot-codec.ts'
import { openModelApi, sentDelivery } from './open-model-api.ts'
import { listForbiddenUses, listUnusedGrants } from './partition-uses.ts'

const [stack, emptyStack] = [stackIdOf('shop', 'dev'), stackIdOf('shop', 'empty')]
const program = Buffer.from('a packed program')
const archive = createHash('sha256').update(program).digest('hex')
const holder = { host: 'here', pid: 7, started: '1', who: 'a test' }
const rule = { on: 'push', repository: 'acme/shop', branches: ['main'], stack }
const clock = createSystemClock()
const issuerFields = { issuer: 'https://issuer.test', audience: 'https://antichain.test' }
const options = {
  command: 'up',
  parallel: 1,
  refresh: false,
  continueOnError: false,
  message: '',
  execute: 'functions',
} as const

/** The parts of a route's call that differ from the defaults in `requestOf`. */
interface Sample {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: string
  readonly body?: unknown
}

const openDeployment = { params: { number: '2' } }
const notification = {
  body: { url: 'https://chat.test/', secret: 'x'.repeat(20), events: ['failed'] },
}
const samples: Readonly<Record<string, Sample>> = {
  'POST /v1/stacks/{project}/{stack}': { params: { stack: 'removed' } },
  'DELETE /v1/stacks/{project}/{stack}': { params: { stack: 'empty' } },
  'POST /v1/stacks/{project}/{stack}/programs': { body: { archive, bytes: program.length } },
  'PUT /v1/stacks/{project}/{stack}/programs/{archive}': { body: program },
  'PUT /v1/stacks/{project}/{stack}/program': { body: { archive } },
  'POST /v1/plugins': { body: { archive, bytes: program.length } },
  'PUT /v1/plugins/{kind}/{name}/{version}/{os}/{arch}': { body: { archive } },
  'PUT /v1/plugin-sources/{name}': { body: { source: 'pulumi/*' } },
  'PUT /v1/package-registries/{name}': {
    body: { manager: 'npm', address: 'https://npm.example.com/' },
  },
  'PUT /v1/policies/{name}/archives/{archive}': { body: program },
  'POST /v1/policies/{name}/archives': { body: { archive, bytes: program.length } },
  'PUT /v1/policies/{name}': { body: { archive } },
  'PUT /v1/schedules/{name}': {
    body: { when: 'rate(1 day)', operation: { kind: 'refresh' }, stacks: {} },
  },
  'PUT /v1/stacks/{project}/{stack}/approval-rule': { body: { commands: ['destroy'] } },
  'POST /v1/stacks/{project}/{stack}/requests/{key}/approval': {
    params: { key: 'planned' },
    body: { verdict: 'approved' },
  },
  'GET /v1/stacks/{project}/{stack}/requests/{key}/approval': { params: { key: 'planned' } },
  'POST /v1/stacks/{project}/{stack}/deployments': { body: { command: 'up', archive } },
  // The first request of a stack enters it in the list of stacks with requests.
  'POST /v1/stacks/{project}/{stack}/previews': {
    params: { stack: 'empty' },
    body: { command: 'up' },
  },
  'GET /v1/stacks/{project}/{stack}/requests/{key}': { params: { key: 'ended' } },
  'GET /v1/stacks/{project}/{stack}/requests/{key}/stream': { params: { key: 'ended' } },
  'POST /v1/stacks/{project}/{stack}/deployments/{number}/redrive': openDeployment,
  'POST /v1/stacks/{project}/{stack}/deployments/{number}/resume': openDeployment,
  'POST /v1/stacks/{project}/{stack}/deployments/{number}/cancel': openDeployment,
  'GET /v1/stacks/{project}/{stack}/deployments/{number}': openDeployment,
  'GET /v1/stacks/{project}/{stack}/deployments/{number}/operations/records': {
    ...openDeployment,
    query: '?urn=x',
  },
  'GET /v1/stacks/{project}/{stack}/deployments/{number}/operations/changes': {
    ...openDeployment,
    query: '?count=0&ids=1,2',
  },
  'PUT /v1/webhooks/{name}': { body: { form: 'signed', secrets: ['x'.repeat(20)], rules: [rule] } },
  'PUT /v1/stacks/{project}/{stack}/schedules/{name}': {
    body: { when: 'rate(1 hour)', operation: { kind: 'refresh' } },
  },
  'PUT /v1/notifications/{name}': notification,
  'PUT /v1/stacks/{project}/{stack}/notifications/{name}': notification,
  'POST /v1/stacks/{project}/{stack}/edits': {
    params: { stack: 'idle' },
    body: { edit: { kind: 'repair' } },
  },
  'POST /v1/stacks/{project}/{stack}/rename': {
    params: { stack: 'idle' },
    body: { project: 'shop', stack: 'moved' },
  },
  'PUT /v1/federations/{name}': {
    body: { ...issuerFields, claims: { sub: 'x' }, role: 'read' },
  },
  'PUT /v1/stacks/{project}/{stack}/tags': { body: { tags: { team: 'web' } } },
  'GET /v1/stacks/{project}/{stack}/diff': { query: '?from=0&to=1' },
  'POST /v1/query': { body: { sql: 'select * from stacks' } },
  'GET /v1/audit/imported': { query: '?source=there&entry=one' },
  'PUT /v1/audit/imports/{id}': {
    params: { id: '0'.repeat(16) },
    body: {
      source: 'there',
      entries: [
        {
          id: 'one',
          at: 1,
          who: 'ana',
          from: '',
          what: 'POST /',
          kind: 'asked',
          request: 'one',
        },
      ],
    },
  },
  'POST /v1/tokens': { body: { name: 'new', role: 'read' } },
  'POST /v1/tokens/{id}/rotate': { body: {} },
}

/**
 * Creates the stacks, deployments, requests and documents that the sample calls name. The stack
 * `dev` has an ended and an open deployment.
 */
async function createState({ ports, records }: Awaited<ReturnType<typeof openModelApi>>) {
  const { catalog, control, events, requests } = records
  for (const id of [stack, emptyStack, stackIdOf('shop', 'removed'), stackIdOf('shop', 'idle')])
    await catalog.createStack(id, clock.now())
  await catalog.removeStack(stackIdOf('shop', 'removed'))
  const launch = { command: 'up', message: '', at: 1 as EpochMs } as const
  const { deployment } = await catalog.start(stack, launch)
  await control.create(deployment, holder)
  const summary = JSON.stringify({ summaryEvent: { result: 'succeeded', resourceChanges: {} } })
  await events.append(deployment, 'w', 0, [summary])
  const requestFields = { stack, at: 1 as EpochMs, by: 'a test', dryRun: true, options }
  const pin = {
    kind: 'pin',
    base: '',
    epoch: 1,
    version: 0,
    rules: rulesVersion,
    options,
    program: '',
    place: { root: '' },
    secrets: { type: 'x', state: {} },
    inbox: [],
  } as const
  const log = { number: 0 as LogNumber, writer: 'w' as WriterToken, at: 1 as EpochMs }
  await records.decisionLog.append(deployment, { ...log, decisions: [pin] })
  const state = { manifest: manifestOf('', ''), resources: [], metadata: {} }
  const snapshot = await ports.blobs.put(Buffer.from(await printEnvelope(await envelopeOf(state))))
  await catalog.publish(stack, 0, snapshot)
  const end = { at: 2 as EpochMs, result: 'succeeded', changes: {}, version: 1 } as const
  await catalog.release(deployment, end)
  const other = await catalog.start(emptyStack, launch)
  await catalog.publish(emptyStack, 0, snapshot)
  await catalog.release(other.deployment, end)
  const second = await catalog.start(stack, launch)
  await control.create(second.deployment, holder)
  for (const key of ['ended', 'waiting', 'planned'])
    await requests.put({ ...requestFields, key, program: { kind: 'last' } })
  await events.append(previewIdOf(stack, 'ended'), 'w', 0, [summary])
  await requests.end(stack, 'ended', { kind: 'refused', code: 'X', message: 'x' })
  await requests.end(stack, 'planned', {
    kind: 'previewed',
    result: 'succeeded',
    changes: {},
    errors: [],
    approval: { expiresAt: (clock.now() + 60_000) as EpochMs, plan: snapshot },
  })
  await putWaitingApproval(records.documents, stack, {
    request: 'planned',
    command: 'up',
    message: '',
    by: 'a test',
    at: clock.now(),
    expiresAt: (clock.now() + 60_000) as EpochMs,
    changes: {},
    plan: snapshot,
  })
  await ports.archives.put(stack, program)
  const deliveries = [{ ...sentDelivery, id: 'sent', sentAt: 1 }]
  for (const scope of ['*', stack] as const) {
    const history = { kind: 'delivery-history', scope, name: 'x' } as const
    await records.documents.put(history, { deliveries }, 0)
  }
}

/** Returns the path and the body of a call of a route, with the values of its sample. */
function requestOf(
  route: Route,
  tokenId: string,
): { readonly path: string; readonly body: unknown } {
  const { params = {}, query = '', body } = samples[`${route.method} ${route.path}`] ?? {}
  const values: Readonly<Record<string, string>> = {
    project: 'shop',
    stack: 'dev',
    name: 'x',
    number: '1',
    key: 'waiting',
    id: tokenId,
    delivery: 'sent',
    archive,
    kind: 'resource',
    version: '1.0.0',
    os: 'linux',
    arch: 'arm64',
    ...params,
  }
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name) => values[name] ?? '')
  return { path: `${path}${query}`, body }
}

/** The calls in an order in which each finds its document: puts first, removals last. */
const methodOrder = ['PUT', 'POST', 'GET', 'DELETE']
const orderedRoutes = routes.toSorted(
  (one, other) => methodOrder.indexOf(one.method) - methodOrder.indexOf(other.method),
)

test('every route of the API uses only the partitions of its role, and the role has no others', async () => {
  const opened = await openModelApi()
  const { ports, records, uses } = opened
  await createState(opened)
  const { token } = await createToken(ports, { name: 'admin', role: 'admin' })
  const revoked = await createToken(ports, { name: 'revoked', role: 'read' })
  const size = { kind: 'function', memoryGb: 1 } as const
  const usage = createUsageRecorder({
    ...ports,
    usage: records.usage,
    meter: createUsageMeter(),
    part: 'watcher',
    size,
  })
  const app = createApi({
    ports: { ...ports, assignUsage: usage.assign },
    addressOf: () => '192.0.2.7',
  })
  uses.length = 0
  const refused: string[] = []
  const forbidden: string[] = []
  for (const route of orderedRoutes) {
    const { path, body } = requestOf(route, revoked.id)
    const start = uses.length
    const response = await usage.measure(async () => {
      const streamed = await app.request(path, {
        method: route.method,
        headers: { authorization: `Bearer ${token}` },
        ...(body === undefined
          ? {}
          : { body: Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
      })
      return { ok: streamed.ok, text: await streamed.text() }
    })
    const { text } = response
    if (!response.ok) refused.push(`${route.method} ${path}: ${text}`)
    const forbiddenUses = listForbiddenUses('api', uses.slice(start))
    forbidden.push(...forbiddenUses.map(use => `${route.method} ${route.path}: ${use}`))
  }
  expect(refused, 'add a sample of a call that succeeds').toEqual([])
  expect(forbidden).toEqual([])
  expect(listUnusedGrants('api', uses)).toEqual([])
  // Only the stop flag of a cancelled deployment, and the usage of event streams, are written to
  // the journal.
  const written = uses.filter(use => use.table === 'journal' && use.action !== 'reads')
  expect(new Set(written.map(use => `${use.action} ${use.partition}`))).toEqual(
    new Set([`writes control ${stack}/2`, `writes usage ${stack}/1`]),
  )
})

test('the exchange of an OIDC token and a call with the result use only the partitions of the role of the API', async () => {
  const { ports, uses } = await openModelApi()
  const issuer = await startIssuer()
  try {
    const { token } = await createToken(ports, { name: 'admin', role: 'admin' })
    const addresses = { allowedNetworks: ['127.0.0.1/32'], isHttpAllowed: true }
    const app = createApi({
      ports: { ...ports, addresses, outbound: issuer.outbound },
      addressOf: () => '192.0.2.7',
    })
    const rule = { ...issuerFields, issuer: issuer.issuer, claims: { sub: 'job' }, role: 'read' }
    const created = await app.request('/v1/federations/ci', {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify(rule),
    })
    expect(created.status).toBe(200)
    const seconds = Math.floor(clock.now() / 1_000)
    const claims = { sub: 'job', aud: issuerFields.audience, iat: seconds, exp: seconds + 60 }
    uses.length = 0
    const exchanged = await app.request('/v1/tokens/exchange', {
      method: 'POST',
      body: JSON.stringify({ token: await issuer.sign(claims) }),
    })
    const answer = (await exchanged.json()) as { token?: string }
    expect([exchanged.status, answer]).toMatchObject([201, { role: 'read' }])
    expect(listForbiddenUses('api', uses)).toEqual([])
    expect(uses.map(({ partition }) => partition)).toContain('documents federation')
    // A call with the exchanged token reads its rule again.
    uses.length = 0
    const call = await app.request('/v1/whoami', {
      headers: { authorization: `Bearer ${answer.token}` },
    })
    expect(call.status).toBe(200)
    expect(listForbiddenUses('api', uses)).toEqual([])
    expect(uses.map(({ partition }) => partition)).toContain('documents federation')
  } finally {
    issuer.close()
  }
})
