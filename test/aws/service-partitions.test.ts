/**
 * The partitions of both tables that the routes for Pulumi's command line use, compared with the
 * role of their function. Only AWS itself refuses a missing permission. Each new route needs a
 * call here.
 */
import { createHash } from 'node:crypto'
import type { S3Client } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { federationKeyOf } from '../../shared/api/federation/federation-rule.ts'
import { issueToken } from '../../shared/api/issue-token.ts'
import type { ServiceOptions } from '../../shared/pulumi-service/add-service-routes.ts'
import { createPulumiApi } from '../../functions/service/create-pulumi-api.ts'
import { serviceRoutes } from '../../shared/pulumi-service/service-table.ts'
import { entryOf } from '../../functions/service/service.fixture.ts'
import { createBucketArchives } from '../../shared/platform/aws/blobs/bucket-archives.ts'
import { createBlobs } from '../../shared/platform/aws/blobs/blobs.ts'
import { createRecords } from '../../shared/platform/aws/records.ts'
import { createSystemClock } from '../../shared/platform/system/clock.ts'
import { noTelemetry } from '../../shared/ports/telemetry.ts'
import { silentLogger } from '../../shared/platform/system/logger.ts'
import { createSystemRandom } from '../../shared/platform/system/random.ts'
import {
  type BlobHash,
  deploymentIdOf,
  type EpochMs,
  type StackId,
  stackIdOf,
} from '../../shared/records/ids.ts'
import { compact } from '../../shared/runtime/compaction/fold-and-publish.ts'
import { createModelBucket } from '../sim/model-bucket.ts'
import { listForbiddenUses, listUnusedGrants, openRecordingDynamo } from './partition-uses.ts'

const [stack, movedStack] = [stackIdOf('shop', 'dev'), stackIdOf('shop', 'moved')]
const stackPath = '/api/stacks/{org}/{project}/{stack}'
const updatePath = `${stackPath}/update/{update}`
const holder = { host: 'here', pid: 7, started: '1', who: 'a test' }

/** Whether the stub of the nudge queue leaves requests waiting, as if no generator ran. */
let areRequestsLeftWaiting = false

/** Opens the service over models. The queue of nudges is a stub, which ends requests. */
async function openService() {
  const { client, names, uses } = await openRecordingDynamo()
  let offsetMs = 0
  const systemClock = createSystemClock()
  const clock = { ...systemClock, now: () => (systemClock.now() + offsetMs) as EpochMs }
  const random = createSystemRandom()
  const bucket = { s3: createModelBucket(clock.now).client as S3Client, bucket: 'b' }
  const section = { ...bucket, prefix: 'blobs/', clock }
  const blobs = createBlobs(section)
  const deps = { client, clock, random, region: 'eu-test-1', tables: names }
  const platform = {
    ...createRecords(deps, blobs),
    blobs,
    archives: createBucketArchives(section),
    clock,
    random,
    logger: silentLogger,
    nudges: { nudge: async (id: StackId) => endRequests(id) },
    sealing: { seal: async (text: string) => text, open: async (text: string) => text },
    scheduler: { place: async () => undefined, remove: async () => undefined },
    telemetry: noTelemetry,
  }
  /** The records as a generator uses them. `withoutUses` runs its calls without recording uses. */
  const generator = createRecords(deps, blobs)
  const withoutUses = async <T>(run: () => Promise<T>): Promise<T> => {
    const { length } = uses
    const result = await run()
    uses.length = length
    return result
  }
  const endRequests = (id: StackId): Promise<void> =>
    withoutUses(async () => {
      if (areRequestsLeftWaiting) return
      for (const { key, ...request } of await generator.requests.listWaiting(id, 9)) {
        const isRename = 'edit' in request && request.edit.kind === 'rename stack'
        const started = { kind: 'started', deployment: deploymentIdOf(id, 1) } as const
        await generator.requests.end(
          id,
          key,
          isRename ? ({ kind: 'renamed', to: movedStack } as const) : started,
        )
      }
    })
  const closing = {
    ...platform,
    holder,
    isAlive: () => undefined,
    endProcessGroup: () => undefined,
    compact: (deployment: Parameters<typeof compact>[1]) => compact(platform, deployment),
  }
  const ports = { ...platform, closing } as unknown as ServiceOptions['ports']
  const advanceClock = (ms: number): void => {
    offsetMs += ms
  }
  return { ports, generator, uses, withoutUses, advanceClock }
}

type OpenedService = Awaited<ReturnType<typeof openService>>

/** Creates the function that calls routes, and records the called routes and forbidden uses. */
async function createCaller({ ports, generator, uses, withoutUses }: OpenedService) {
  const app = createPulumiApi({
    ports,
    addressOf: () => '192.0.2.7',
    forward: () => Promise.reject(new Error('no other function')),
  })
  // A token of a CI job is valid while its federation rule is unchanged, so each call reads the rule.
  const { token } = await withoutUses(async () => {
    await generator.documents.put(federationKeyOf('ci'), {}, 0)
    const rule = { name: 'ci', version: 1 }
    const permissions = { name: 'admin', role: 'admin', stacks: '*', rule } as const
    const id = '0123456789abcdef'
    return issueToken({ ...ports, ...generator }, { id, permissions, lifetimeMs: undefined })
  })
  const calledRoutes = new Set<string>()
  const forbidden: string[] = []
  /** `params`: parameters of the path, and also `lease`, `query` and the expected `status`. */
  const call = async (
    route: string,
    body?: object,
    params: Readonly<Record<string, string>> = {},
  ): Promise<Record<string, unknown>> => {
    const { lease, query = '', status = '200', ...pathParams } = params
    const values: Readonly<Record<string, string>> = {
      org: 'organization',
      project: 'shop',
      stack: 'dev',
      ...pathParams,
    }
    const [method = '', path = ''] = route.split(' ')
    const start = uses.length
    const response = await app.request(
      path.replaceAll(/\{(\w+)\}/g, (_, name) => values[name] ?? '') + query,
      {
        method,
        headers: {
          authorization: lease === undefined ? `token ${token}` : `update-token ${lease}`,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      },
    )
    const text = await response.text()
    expect([route, response.status, text]).toEqual([route, Number(status), text])
    calledRoutes.add(route)
    const forbiddenUses = listForbiddenUses('service', uses.slice(start))
    forbidden.push(...forbiddenUses.map(use => `${route}: ${use}`))
    return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
  }
  const startUpdate = async (): Promise<{ update: string; lease: string }> => {
    const { updateID } = await call(`POST ${stackPath}/update`, {})
    const update = String(updateID)
    const { token: lease } = await call(`POST ${updatePath}`, { journalVersion: 1 }, { update })
    return { update, lease: String(lease) }
  }
  return { call, startUpdate, calledRoutes, forbidden }
}

type ServiceCaller = Awaited<ReturnType<typeof createCaller>>

/** Runs an update with a journal, one that is cancelled, and one that expires. */
async function callUpdateRoutes(
  { call, startUpdate }: ServiceCaller,
  { ports, generator, withoutUses, advanceClock }: OpenedService,
): Promise<void> {
  const first = await startUpdate()
  const state = { urn: 'urn:pulumi:dev::shop::my:index:G::g', custom: false, type: 'my:index:G' }
  const large = { ...state, outputs: { text: 'x'.repeat(600_000) } }
  const entries = [
    entryOf(0, 1, { operation: { resource: state, type: 'creating' } }),
    entryOf(1, 2, { state: large }),
  ]
  await call(`PATCH ${updatePath}/journalentries`, { entries }, first)
  await call(`POST ${updatePath}/renew_lease`, {}, first)
  const summary = { sequence: 1, summaryEvent: { resourceChanges: { create: 1 } } }
  await call(`POST ${updatePath}/events/batch`, { events: [summary] }, first)
  await call(`GET ${updatePath}/events`, undefined, { update: first.update })
  await call(`GET ${updatePath}`, undefined, { update: first.update })
  await call(`GET ${stackPath}`)
  await call(`GET ${stackPath}/export`)
  await call(`POST ${updatePath}/complete`, { status: 'succeeded' }, first)
  await call(`GET ${stackPath}/updates/latest`)
  const second = await startUpdate()
  await call(`PATCH ${updatePath}/checkpoint`, { version: 3, deployment: {} }, second)
  const untypedDeployment = { version: 3, deployment: {} }
  const numbered = { version: 3, sequenceNumber: 1 }
  await call(`PATCH ${updatePath}/checkpointverbatim`, { ...numbered, untypedDeployment }, second)
  const checkpointHash = createHash('sha256')
    .update(JSON.stringify(untypedDeployment))
    .digest('hex')
  const delta = { ...numbered, sequenceNumber: 2, checkpointHash, deploymentDelta: [] }
  await call(`PATCH ${updatePath}/checkpointdelta`, delta, second)
  await call(`POST ${updatePath}/cancel`, undefined, { update: second.update })
  await startUpdate()
  // The lease of an update lasts five minutes.
  advanceClock(300_001)
  await call(`POST ${updatePath}/complete`, { status: 'succeeded' }, await startUpdate())
  for (const kind of ['preview', 'refresh', 'destroy'])
    await call(`POST ${stackPath}/${kind}`, { options: { dryRun: true } })
  // A deployment of our own engine, which a client cancels.
  const launch = { command: 'up', message: '', at: 1 as EpochMs } as const
  const { deployment } = await withoutUses(() => generator.catalog.start(stack, launch))
  await withoutUses(() => generator.control.create(deployment, holder))
  await call(`POST ${updatePath}/cancel`, undefined, {
    update: `deployment-${deployment.split('/').at(-1)}`,
  })
  const end = { at: 2 as EpochMs, result: 'cancelled', changes: {}, version: 1 } as const
  await withoutUses(() => ports.catalog.release(deployment, end))
}

/** Requests deployments: one that is cancelled while it waits, and one that has started. */
async function callDeploymentRoutes(
  { call }: ServiceCaller,
  { generator, withoutUses }: OpenedService,
): Promise<void> {
  const path = `${stackPath}/deployments`
  const [deployment, version] = ['dep-2', '2']
  await withoutUses(() => generator.requests.putProgram(stack, 'a'.repeat(64) as BlobHash))
  areRequestsLeftWaiting = true
  await call(`POST ${path}`, { operation: 'preview' })
  await call(`POST ${path}/{deployment}/cancel`, undefined, { deployment: 'dep-1' })
  areRequestsLeftWaiting = false
  await call(`POST ${path}`, { operation: 'update' })
  const git = { repoUrl: 'https://github.com/acme/web', commit: 'c'.repeat(40) }
  await call(`POST ${path}/settings`, { sourceContext: { git } })
  await call(`GET ${path}/settings`)
  const inherited = { operation: 'update', inheritSettings: true }
  await call(`POST ${path}`, inherited, { status: '403' })
  await call(`PUT ${path}/settings`, {})
  await call(`DELETE ${path}/settings`)
  await call(`GET ${path}`)
  await call(`GET ${path}/version/{version}`, undefined, { version })
  for (const part of ['', '/logs', '/updates'])
    await call(`GET ${path}/{deployment}${part}`, undefined, { deployment })
}

/** Creates, reads, changes and removes schedules of each kind, and reads the drift. */
async function callScheduleRoutes({ call }: ServiceCaller): Promise<void> {
  const path = `${stackPath}/deployments`
  const scheduleCron = '0 4 * * *'
  const bodies = {
    schedules: { scheduleCron, request: { operation: 'update' } },
    'drift/schedules': { scheduleCron },
    'ttl/schedules': { timestamp: '2099-01-01T00:00:00Z' },
  }
  for (const [kind, body] of Object.entries(bodies)) {
    const schedule = String((await call(`POST ${path}/${kind}`, body))['id'])
    await call(`POST ${path}/${kind}/{schedule}`, body, { schedule })
    await call(`GET ${path}/schedules/{schedule}`, undefined, { schedule })
    await call(`DELETE ${path}/schedules/{schedule}`, undefined, { schedule })
  }
  await call(`GET ${stackPath}/drift/runs`)
}

async function callSecretRoutes({ call }: ServiceCaller): Promise<void> {
  const { ciphertext } = await call(`POST ${stackPath}/encrypt`, { plaintext: 'YQ==' })
  await call(`POST ${stackPath}/batch-encrypt`, { plaintexts: ['YQ=='] })
  await call(`POST ${stackPath}/decrypt`, { ciphertext })
  await call(`POST ${stackPath}/batch-decrypt`, { ciphertexts: [ciphertext] })
  for (const name of ['log-decryption', 'log-batch-decryption'])
    await call(`POST ${stackPath}/decrypt/${name}`, {})
}

test('every route for clients of Pulumi uses only the partitions of its role, and the role has no others', async () => {
  const opened = await openService()
  const { generator, uses, withoutUses } = opened
  const caller = await createCaller(opened)
  const { call, calledRoutes, forbidden } = caller
  // A removed stack leaves records, which the next stack with its name removes.
  const newStack = { stackName: 'dev', tags: { a: 'b' }, state: { version: 3, deployment: {} } }
  await call('POST /api/stacks/{org}/{project}', newStack)
  await call(`DELETE ${stackPath}`)
  await call('POST /api/stacks/{org}/{project}', newStack)
  await callSecretRoutes(caller)
  await callUpdateRoutes(caller, opened)
  const schedule = {
    when: 'rate(1 hour)',
    operation: { kind: 'refresh' },
    createdAt: 1,
    placed: 'x',
  }
  for (const kind of ['schedule', 'notification', 'delivery-history'] as const)
    await withoutUses(() => generator.documents.put({ kind, scope: stack, name: 'x' }, schedule, 0))
  await call(`PATCH ${stackPath}/tags`, { team: 'web' })
  const state = { version: 3, deployment: { manifest: {}, resources: [] } }
  await call(`POST ${stackPath}/import`, state)
  await callDeploymentRoutes(caller, opened)
  await callScheduleRoutes(caller)
  await call(`POST ${stackPath}/rename`, { newName: 'moved' })
  await call(`GET ${stackPath}/export/{version}`, undefined, { version: '1' })
  for (const kind of ['issues', 'compliance'])
    await call(`POST /api/orgs/{org}/policyresults/${kind}`, {})
  for (const { method, path } of serviceRoutes)
    if (method === 'GET' && !calledRoutes.has(`${method} ${path}`)) await call(`${method} ${path}`)
  await call(`DELETE ${stackPath}`, undefined, { query: '?force=true' })
  const routes = serviceRoutes.map(({ method, path }) => `${method} ${path}`)
  expect(routes.filter(route => !calledRoutes.has(route))).toEqual([])
  expect(forbidden).toEqual([])
  expect(listUnusedGrants('service', uses)).toEqual([])
})
