import { shop } from '../../../functions/api/api.fixture.ts'
import { openTestService, shopService } from '../../../functions/service/service.fixture.ts'
import { createError } from '../../../shared/errors/error.ts'
import type { BlobHash } from '../../../shared/records/ids.ts'
import type { FuzzTarget } from '../fuzz-target.ts'
import { checkServiceAnswer, createQuickTimes } from '../service-answers.ts'

const service = await openTestService(undefined, createQuickTimes())
const token = `token ${await service.issueToken('admin')}`
await service.platform.requests.putProgram(shop, 'a'.repeat(64) as BlobHash)

/** The first checkpoint of each update, to which the corpus has a delta. */
const firstCheckpoint = `{"version":3,"untypedDeployment":{"version":3,"deployment":{"manifest":{},"metadata":{}}},"sequenceNumber":1}`

/** The routes of clients with a token, by the first line of an input. */
const tokenRoutes: Readonly<Record<string, string>> = {
  create: `POST ${shopService}/update`,
  tags: `PATCH ${shopService}/tags`,
  hooks: `POST ${shopService}/hooks`,
  deployments: `POST ${shopService}/deployments`,
  settings: `POST ${shopService}/deployments/settings`,
  schedules: `POST ${shopService}/deployments/schedules`,
  drift: `POST ${shopService}/deployments/drift/schedules`,
  ttl: `POST ${shopService}/deployments/ttl/schedules`,
  encrypt: `POST ${shopService}/batch-encrypt`,
  decrypt: `POST ${shopService}/batch-decrypt`,
  exchange: 'POST /api/oauth/token',
}

/** The routes of a started update, which need its lease. */
const leaseRoutes: Readonly<Record<string, string>> = {
  entries: 'PATCH journalentries',
  checkpoint: 'PATCH checkpoint',
  verbatim: 'PATCH checkpointverbatim',
  delta: 'PATCH checkpointdelta',
  events: 'POST events/batch',
}

let update: { readonly path: string; readonly lease: string } | undefined

/** Returns the running update. Starts another one when the lease of the last one is over. */
async function requireRunning(): Promise<NonNullable<typeof update>> {
  if (update !== undefined) {
    const renewal = await service.call(update.lease, `POST ${update.path}/renew_lease`, {})
    if (renewal.status === 200) return update
  }
  update = await service.startUpdate(token)
  await service.call(update.lease, `PATCH ${update.path}/checkpointverbatim`, firstCheckpoint)
  return update
}

async function send(name: string, body: string) {
  const route = Object.hasOwn(tokenRoutes, name) ? tokenRoutes[name] : undefined
  if (route !== undefined) return service.call(name === 'exchange' ? '' : token, route, body)
  const leaseRoute = Object.hasOwn(leaseRoutes, name) ? leaseRoutes[name] : undefined
  if (leaseRoute === undefined) throw createError('API_ROUTE_UNKNOWN', 'the input has no route')
  const { path, lease } = await requireRunning()
  return service.call(lease, leaseRoute.replace(' ', ` ${path}/`), body)
}

/**
 * Request bodies of Pulumi's clients: a line with the name of a route, and the body. The service is
 * called without a socket, over a real store.
 */
export const serviceBodiesTarget: FuzzTarget = {
  async decode(input) {
    const text = Buffer.from(input).toString('utf8')
    const lineEnd = Math.max(0, text.indexOf('\n'))
    checkServiceAnswer(await send(text.slice(0, lineEnd), text.slice(lineEnd + 1)))
  },
  close: () => service.close(),
}
