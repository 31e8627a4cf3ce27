/**
 * remote: the engine of the command line after a login. It sends requests to the API, and has the
 * same interface as the engine over the store of this machine. Features that the API does not
 * support are refused by name.
 */
import { stackPathOf } from './stack-path.ts'
import { createHash } from 'node:crypto'
import * as z from 'zod'
import { createError, hasCode } from '../../shared/errors/error.ts'
import { packUpload } from './pack-upload.ts'
import type { NodePlatform } from '../../shared/programs/hosts/binary-platform.ts'
import { createSystemClock } from '../../shared/platform/system/clock.ts'
import type { CatalogPort, HistoryRecord } from '../../shared/ports/catalog.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import { type BlobHash, type StackId, stackPartsOf } from '../../shared/records/ids.ts'
import { printStateBlob } from '../../shared/state/print-envelope.ts'
import { envelopeOf, parseEnvelope } from '../../shared/state/snapshot-codec.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import type { EnginePort, RemoteApi } from '../../local/engine-port.ts'
import { createApiClient, type ApiClient } from './api-client.ts'
import { createApiPageForm, readApiPages } from './api-pages.ts'
import { readRemoteCost } from './remote-cost.ts'
import { readRemoteCourse } from './remote-course.ts'
import type { Login } from './saved-login.ts'
import { deployRemotely, resumeRemotely } from './remote-deployment.ts'
import { editRemotely, renameRemotely } from './remote-edit.ts'
import { listRemoteStacks, remoteStackForm, toStackRecord } from './remote-stacks.ts'

const uploadForm = z.object({
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  /** Whether the API already has the bytes. */
  isThere: z.boolean().default(false),
})
const deploymentForm = z.looseObject({
  deployment: z.string(),
  command: z.string(),
  message: z.string(),
  startedAt: z.number(),
})

const platformForm = z.object({
  platform: z.object({ os: z.string(), arch: z.string() }).optional(),
})

const redriveForm = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['none', 'stopped', 'nothing']) }),
  z.object({ kind: z.literal('sent'), operations: z.number() }),
])

/** Opens the API of a login. Sends no request before the first call. */
export function openRemote(login: Login): EnginePort {
  const client = createApiClient(login)
  const catalog = createRemoteCatalog(client)
  const remote = createRemoteApi(client)
  const readStatus: EnginePort['readStatus'] = async stack => {
    const record = await catalog.getStack(stack)
    if (record === undefined || record.current === '') return { kind: 'none' }
    return { kind: 'running', number: record.deployments }
  }
  const findCurrentNumber = async (stack: StackId): Promise<number | undefined> => {
    const status = await readStatus(stack)
    return status.kind === 'none' ? undefined : status.number
  }
  return {
    platform: createPartial<Platform>('the API', { catalog, clock: createSystemClock() }),
    remote,
    preload: () => undefined,
    startConnecting: () => undefined,
    deploy: createRefusedCall('this kind of deployment'),
    findInterrupted: createRefusedCall('resume'),
    async cancel(stack, { force, number: wanted }) {
      const number = wanted ?? (await findCurrentNumber(stack))
      if (number === undefined) return { kind: 'none' }
      const path = `${stackPathOf(stack)}/deployments/${number}/cancel`
      const response = await client.call({
        method: 'POST',
        path,
        body: { force },
        isRepeatable: true,
      })
      const { kind } = z.object({ kind: z.enum(['none', 'asked', 'asked before']) }).parse(response)
      return kind === 'none' ? { kind } : { kind, number }
    },
    readStatus,
    // The API removes schedules and notifications together with the stack.
    forgetStack: () => Promise.resolve(),
    async redrive(stack) {
      const number = await findCurrentNumber(stack)
      if (number === undefined) return { kind: 'none' }
      const path = `${stackPathOf(stack)}/deployments/${number}/redrive`
      const response = await client.call({ method: 'POST', path })
      return redriveForm.parse(response)
    },
    async putState(stack, state) {
      const bytes = await printStateBlob(await envelopeOf(state))
      const hash = createHash('sha256').update(bytes).digest('hex') as BlobHash
      // The route for programs also stores the states of edits.
      await remote.uploadArchive(`${stackPathOf(stack)}/programs`, { archive: hash, bytes })
      return hash
    },
    editState: (stack, edit) => editRemotely(client, stackPathOf(stack), { edit }),
    renameStack: (from, to) => renameRemotely(client, stackPathOf(from), stackPartsOf(to)),
    exportState: (stack, version) =>
      readExport(client, stack, version === undefined ? '' : `?version=${version}`),
    exportStateAt: (stack, pointInTime) => {
      const text =
        pointInTime.kind === 'time'
          ? new Date(pointInTime.timeMs).toISOString()
          : `${pointInTime.deployment}:${pointInTime.lamport}`
      return readExport(client, stack, `?at=${encodeURIComponent(text)}`)
    },
    readTimeline: createRefusedCall('stack history --show'),
    readCourse: (stack, number) => readRemoteCourse(client, stack, number),
    readCost: (stack, number) => readRemoteCost(client, stack, number),
    prune: createRefusedCall('stack prune'),
    serve: createRefusedCall('serve'),
    callApi: call => client.call(call),
    close: async () => undefined,
  }
}

function createRemoteApi(client: ApiClient): RemoteApi {
  const uploadArchive: RemoteApi['uploadArchive'] = async (path, { archive, bytes }) => {
    const body = { archive, bytes: bytes.length }
    const response = await client.call({ method: 'POST', path, body, isRepeatable: true })
    const { isThere, ...destination } = uploadForm.parse(response)
    if (!isThere) await client.upload(destination, bytes)
  }
  return {
    uploadArchive,
    async upload(stack, folder) {
      const { bytes, hash: archive } = await packUpload(folder, () => readServerPlatform(client))
      await uploadArchive(`${stackPathOf(stack)}/programs`, { archive, bytes })
      return { archive, sizeBytes: bytes.length }
    },
    async setProgram(stack, archive) {
      await client.call({ method: 'PUT', path: `${stackPathOf(stack)}/program`, body: { archive } })
    },
    deploy: (stack, request, sink) => deployRemotely(client, stackPathOf(stack), request, sink),
    resume: (stack, number, sink) => resumeRemotely(client, stackPathOf(stack), number, sink),
    async removeStack(stack, force) {
      await client.call({ method: 'DELETE', path: `${stackPathOf(stack)}?force=${force}` })
    },
  }
}

/**
 * Returns the platform on which the server runs programs, in Node's names. Throws FEATURE_MISSING
 * for a server of an older version.
 */
async function readServerPlatform(client: ApiClient): Promise<NodePlatform> {
  const identity = await client.call({ method: 'GET', path: '/v1/whoami' })
  const { platform } = platformForm.parse(identity)
  if (platform !== undefined) return platform
  throw createError(
    'FEATURE_MISSING',
    'this server does not report for which platform to build programs',
    {
      hint: 'Upgrade the server, or set `binary` in the runtime options to a built program.',
    },
  )
}

async function readExport(
  client: ApiClient,
  stack: StackId,
  query: string,
): Promise<StoredDeployment | undefined> {
  const text = await client
    .getText(`${stackPathOf(stack)}/export${query}`)
    .catch((thrown: unknown) => {
      // `exportState` returns undefined for an unknown version, but `exportStateAt` throws.
      if (query.startsWith('?version') && hasCode(thrown, 'MOMENT_UNKNOWN')) return undefined
      throw thrown
    })
  return text === undefined ? undefined : ((await parseEnvelope(text)).deployment ?? undefined)
}

function createRemoteCatalog(client: ApiClient): CatalogPort {
  const getParsed = async <Form extends z.ZodType>(
    path: string,
    form: Form,
  ): Promise<z.infer<Form>> => form.parse(await client.call({ method: 'GET', path }))
  return createPartial<CatalogPort>('the catalog', {
    async createStack(id) {
      try {
        await client.call({ method: 'POST', path: stackPathOf(id) })
        return true
      } catch (thrown) {
        if (hasCode(thrown, 'STACK_EXISTS')) return false
        throw thrown
      }
    },
    async getStack(id) {
      try {
        return toStackRecord(await getParsed(stackPathOf(id), remoteStackForm))
      } catch (thrown) {
        if (hasCode(thrown, 'STACK_NOT_FOUND')) return undefined
        throw thrown
      }
    },
    listStacks: project => listRemoteStacks(client, project),
    async listHistory(id, limit, before) {
      const records: HistoryRecord[] = []
      if (limit < 1) return records
      const pages = readApiPages(
        async cursor => {
          const pageSize = Math.min(100, limit - records.length)
          const path = `${stackPathOf(id)}/deployments?limit=${pageSize}&cursor=${cursor}`
          return getParsed(path, createApiPageForm(deploymentForm))
        },
        before === undefined ? '' : String(before),
      )
      for await (const page of pages) {
        records.push(...(page.items as unknown as HistoryRecord[]))
        if (records.length >= limit) break
      }
      return records
    },
  })
}

/** Creates the function of a feature that the API does not support. It throws FEATURE_MISSING. */
function createRefusedCall(feature: string): () => Promise<never> {
  return async () => {
    throw createError('FEATURE_MISSING', `the API does not support this yet: ${feature}`, {
      hint: 'Run `antichain logout`, and then the command on the machine that has the store.',
    })
  }
}

/** Completes a partial object. Missing members are refused by name when they are called. */
function createPartial<Whole extends object>(name: string, members: Partial<Whole>): Whole {
  return new Proxy(members as Whole, {
    get(_, property, receiver) {
      // A function as `then` would make the object a promise for `await`.
      if (property in members || property === 'then')
        return Reflect.get(members, property, receiver)
      const memberName = `${name}, ${String(property)}`
      const refuseCall = createRefusedCall(memberName)
      // The member may be a method, or a port with methods.
      return new Proxy(refuseCall, {
        get: (_, method) => createRefusedCall(`${memberName}.${String(method)}`),
      })
    },
  })
}
