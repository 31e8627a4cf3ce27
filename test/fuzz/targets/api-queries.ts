import {
  entryOf,
  openTestService,
  shopService,
} from '../../../functions/service/service.fixture.ts'
import { createError } from '../../../shared/errors/error.ts'
import type { FuzzTarget } from '../fuzz-target.ts'
import { checkServiceAnswer, createQuickTimes } from '../service-answers.ts'

const service = await openTestService(undefined, createQuickTimes())
const secret = await service.issueToken('admin')
const token = `token ${secret}`

/**
 * Runs one deployment of a client, so that the stack has a history, events and a state. Returns the
 * id of the update.
 */
async function deploy(): Promise<string> {
  const urn = 'urn:pulumi:dev::shop::my:index:Group::a'
  const state = { urn, custom: false, type: 'my:index:Group', inputs: { a: 1 } }
  const entries = [
    entryOf(0, 1, { operationID: 1, operation: { resource: state, type: 'creating' } }),
    entryOf(1, 2, { operationID: 1, state }),
  ]
  const events = [
    { sequence: 0, timestamp: 1, preludeEvent: { config: {} } },
    { sequence: 1, timestamp: 1, summaryEvent: { resourceChanges: { create: 1 } } },
  ]
  const { path, lease } = await service.startUpdate(token)
  await service.call(lease, `PATCH ${path}/journalentries`, { entries })
  await service.call(lease, `POST ${path}/events/batch`, { events })
  await service.call(lease, `POST ${path}/complete`, { status: 'succeeded' })
  await service.call(token, `PATCH ${shopService}/tags`, { team: 'web' })
  return path.split('/').at(-1) ?? ''
}

const updateId = await deploy()

/** Returns the path and the query of a request. Undefined for a text that is no such address. */
function parseTarget(text: string): string | undefined {
  const url = URL.parse(`http://localhost${text}`)
  // The connections of streams remain open, and other paths are pages and not JSON.
  const isJson = url !== null && /^\/(?:v1|api)\//.test(url.pathname)
  if (!isJson || url.host !== 'localhost' || url.pathname.endsWith('/stream')) return undefined
  return `${url.pathname}${url.search}`
}

/**
 * Paths and query strings of the API and of the service for clients of Pulumi: `GET` or `HEAD`, and
 * the path with its query. `@update` stands for the id of an update. Both are called without a socket, over a real store.
 */
export const apiQueriesTarget: FuzzTarget = {
  async decode(input) {
    const [, method = '', text = ''] = /^(GET|HEAD) (\S+)/.exec(Buffer.from(input).toString()) ?? []
    const target = parseTarget(text.replace('@update', updateId))
    if (target === undefined)
      throw createError('API_ROUTE_UNKNOWN', 'the input has no path of the API')
    const isOwn = target.startsWith('/v1/')
    const authorization = isOwn ? `Bearer ${secret}` : token
    const response = await service.call(authorization, `${method} ${target}`)
    // Errors of our own API have a code in the place of the status.
    const { status, json } = response
    checkServiceAnswer(
      isOwn || method === 'HEAD' ? { status, json: { ...json, code: status } } : response,
    )
  },
  close: () => service.close(),
}
