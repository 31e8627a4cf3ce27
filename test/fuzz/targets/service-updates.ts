import { shop } from '../../../functions/api/api.fixture.ts'
import {
  openTestService,
  type ServiceResponse,
  shopService,
} from '../../../functions/service/service.fixture.ts'
import { createError } from '../../../shared/errors/error.ts'
import type { BlobHash } from '../../../shared/records/ids.ts'
import { isEditRequest } from '../../../shared/records/stack-request.ts'
import { parseEnvelope } from '../../../shared/state/stream/parse-envelope.ts'
import { parseJson } from '../../../shared/values/parse-json.ts'
import type { FuzzTarget } from '../fuzz-target.ts'
import { checkServiceAnswer, createQuickTimes } from '../service-answers.ts'

const service = await openTestService(undefined, createQuickTimes())
const token = `token ${await service.issueToken('admin')}`
const { requests, nudges, archives } = service.platform
const end = new AbortController()

/** Ends each waiting request, as a generator does. An import must have a readable state. */
async function endRequests(): Promise<void> {
  while (!end.signal.aborted) {
    await nudges.receive(60_000, { stack: shop, signal: end.signal })
    for (const request of await requests.listWaiting(shop, 10)) {
      const edit = isEditRequest(request) ? request.edit : undefined
      const isReadable = edit?.kind !== 'import' || (await isState(edit.state))
      const refusal = { kind: 'refused', code: 'INTERNAL_ASSERTION', message: 'no state' } as const
      const result = isReadable ? ({ kind: 'renamed', to: shop } as const) : refusal
      await requests.end(shop, request.key, result)
    }
  }
}

async function isState(archive: string): Promise<boolean> {
  const bytes = archives.get(shop, archive as BlobHash)
  const envelope = await bytes.then(parseEnvelope).catch(() => undefined)
  return envelope?.deployment != null
}

const requestsEnd = endRequests()

/** The routes with a token, by the first line of an input. */
const tokenRoutes: Readonly<Record<string, string>> = {
  import: `POST ${shopService}/import`,
  rename: `POST ${shopService}/rename`,
  preview: `POST ${shopService}/preview`,
  refresh: `POST ${shopService}/refresh`,
  destroy: `POST ${shopService}/destroy`,
  encrypt: `POST ${shopService}/encrypt`,
  decrypt: `POST ${shopService}/decrypt`,
  'log-decryption': `POST ${shopService}/decrypt/log-decryption`,
  search: 'POST /api/orgs/organization/policyresults/issues',
  hook: `PATCH ${shopService}/hooks/ops`,
}

const hook = { name: 'ops', displayName: 'ops', payloadUrl: 'https://example.com/in', active: true }
await service.call(token, `POST ${shopService}/hooks`, { ...hook, format: 'raw' })

/** Creates a stack, and removes it again. */
async function createStack(body: string): Promise<ServiceResponse> {
  const response = await service.call(token, 'POST /api/stacks/organization/shop', body)
  const { stackName } = Object(parseJson(body)) as { readonly stackName?: unknown }
  if (response.status === 200)
    await service.call(
      token,
      `DELETE /api/stacks/organization/shop/${String(stackName)}?force=true`,
    )
  return response
}

/** Creates an update of a kind. Returns its path. */
async function createUpdate(kind: string): Promise<string> {
  const { json } = await service.call(token, `POST ${shopService}/${kind}`, {})
  return `${shopService}/update/${String(json['updateID'])}`
}

/** Starts an update with a body. A started one is completed. */
async function start(kind: string, body: string): Promise<ServiceResponse> {
  const path = await createUpdate(kind)
  const response = await service.call(token, `POST ${path}`, body)
  const lease = `update-token ${String(response.json['token'])}`
  if (response.status === 200 && kind !== 'preview')
    await service.call(lease, `POST ${path}/complete`, { status: 'failed' })
  return response
}

/** Completes an update with a body. One that was not completed is completed afterwards. */
async function complete(kind: string, body: string): Promise<ServiceResponse> {
  const { path, lease } = await service.startUpdate(token, kind)
  const response = await service.call(lease, `POST ${path}/complete`, body)
  if (response.status !== 200 && kind !== 'preview')
    await service.call(lease, `POST ${path}/complete`, { status: 'failed' })
  return response
}

async function renew(body: string): Promise<ServiceResponse> {
  const { path, lease } = await service.startUpdate(token, 'preview')
  return service.call(lease, `POST ${path}/renew_lease`, body)
}

/** The requests that need other requests before or after them. */
const sequences: Readonly<Record<string, (body: string) => Promise<ServiceResponse>>> = {
  stack: createStack,
  renew,
  'start-preview': body => start('preview', body),
  'start-update': body => start('update', body),
  'complete-preview': body => complete('preview', body),
  'complete-update': body => complete('update', body),
}

/**
 * Request bodies of Pulumi's clients about stacks and the course of updates: a line with the name
 * of a request, and the body. The service is called without a socket, over a real store.
 */
export const serviceUpdatesTarget: FuzzTarget = {
  async decode(input) {
    const text = Buffer.from(input).toString('utf8')
    const lineEnd = Math.max(0, text.indexOf('\n'))
    const [name, body] = [text.slice(0, lineEnd), text.slice(lineEnd + 1)]
    const send = Object.hasOwn(sequences, name) ? sequences[name] : undefined
    const route = Object.hasOwn(tokenRoutes, name) ? tokenRoutes[name] : undefined
    if (send !== undefined) return checkServiceAnswer(await send(body))
    if (route === undefined) throw createError('API_ROUTE_UNKNOWN', 'the input has no route')
    return checkServiceAnswer(await service.call(token, route, body))
  },
  async close() {
    end.abort()
    await requestsEnd
    await service.close()
  },
}
