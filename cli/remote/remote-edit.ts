import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { apiLimits } from '../../shared/config/api-limits.ts'
import { limits } from '../../shared/config/limits.ts'
import { createError, hasCode } from '../../shared/errors/error.ts'
import type { EditEnd } from '../../shared/records/stack-request.ts'
import type { ApiClient } from './api-client.ts'
import { refusalErrorOf, refusalForm } from './refusal.ts'

/** The end of an edit (`started`), of a rename, or of a refused request. */
const endForm = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('started'),
    deployment: z.string(),
    /** `EditEnd` describes these fields. */
    edit: z.object({ version: z.number(), count: z.number(), notices: z.array(z.string()) }),
  }),
  z.object({ kind: z.literal('renamed'), to: z.string() }),
  refusalForm,
])
const requestForm = z.object({ end: endForm.optional() })
const deploymentForm = z.object({ result: z.string().optional(), version: z.number().optional() })

/**
 * Requests an edit from the API, and waits until it is published. Throws the errors of the edit,
 * and DEPLOYMENT_FAILED for an interrupted edit. If no process has begun the edit within
 * `editWaitMs`, this function withdraws the request and throws REQUEST_EXPIRED.
 */
export async function editRemotely(
  client: Pick<ApiClient, 'call'>,
  stackPath: string,
  body: object,
): Promise<EditEnd> {
  const end = await requestEdit(client, stackPath, { route: 'edits', body })
  if (end.kind !== 'started')
    throw createError('API_ANSWER_UNKNOWN', `the edit ended as '${end.kind}'`)
  const { deployment, edit } = end
  const number = deployment.slice(deployment.lastIndexOf('/') + 1)
  const { version } = await poll(async () => {
    const response = await client.call({
      method: 'GET',
      path: `${stackPath}/deployments/${number}`,
    })
    const record = deploymentForm.parse(response)
    return record.result === undefined ? undefined : record
  })
  if (version === edit.version) return edit
  throw createError(
    'DEPLOYMENT_FAILED',
    `the edit was interrupted, and changed nothing: ${deployment}`,
  )
}

/**
 * Requests a rename from the API, and waits for it. Throws the errors of the rename, and
 * REQUEST_EXPIRED like `editRemotely`.
 */
export async function renameRemotely(
  client: Pick<ApiClient, 'call'>,
  stackPath: string,
  names: { readonly project: string; readonly stack: string },
): Promise<void> {
  const { project, stack } = names
  await requestEdit(client, stackPath, { route: 'rename', body: { project, stack } })
}

async function requestEdit(
  client: Pick<ApiClient, 'call'>,
  stackPath: string,
  { route, body }: { readonly route: 'edits' | 'rename'; readonly body: object },
) {
  const key = randomUUID()
  await client.call({
    method: 'POST',
    path: `${stackPath}/${route}`,
    body,
    headers: { 'idempotency-key': key },
    isRepeatable: true,
  })
  return awaitRequestEnd(client, `${stackPath}/requests/${key}`)
}

/** Waits until a request has ended. Throws the error of a refused request, and REQUEST_EXPIRED. */
async function awaitRequestEnd(client: Pick<ApiClient, 'call'>, path: string) {
  const deadlineMs = Date.now() + limits.editWaitMs
  const end = await poll(async () => {
    const { end } = requestForm.parse(await client.call({ method: 'GET', path }))
    if (end !== undefined || Date.now() < deadlineMs) return end
    await withdrawRequest(client, path)
    return undefined
  })
  if (end.kind === 'refused') throw refusalErrorOf(end)
  return end
}

/**
 * Withdraws a waiting request, and throws REQUEST_EXPIRED. Returns if the request has begun in the
 * meantime. A later poll then finds its end.
 */
async function withdrawRequest(client: Pick<ApiClient, 'call'>, path: string): Promise<void> {
  try {
    await client.call({ method: 'DELETE', path })
  } catch (thrown) {
    if (hasCode(thrown, 'REQUEST_BEGUN')) return
    throw thrown
  }
  const waitSeconds = limits.editWaitMs / 1000
  throw createError(
    'REQUEST_EXPIRED',
    `no process began the request within ${waitSeconds} s; the request was withdrawn`,
  )
}

/** Repeats an attempt until it returns a value. */
async function poll<Value>(attempt: () => Promise<Value | undefined>): Promise<Value> {
  for (;;) {
    const value = await attempt()
    if (value !== undefined) return value
    await new Promise(resolve => setTimeout(resolve, apiLimits.editPollMs))
  }
}
