import * as z from 'zod'
import { isEditRequest } from '../../../shared/records/stack-request.ts'
import {
  streamDeployment,
  createStreamPosition,
  streamRequest,
  toStreamResponse,
} from '../event-stream.ts'
import { parseCursor, pageQuery } from '../../../shared/api/pages.ts'
import { type RouteCall, defineRoute, stackOf } from '../../../shared/api/define-route.ts'
import { requireDeployment } from './deployments.ts'
import { requireRequest } from './requests.ts'

const streamRoute = {
  method: 'GET',
  role: 'read',
  scope: 'stack',
  output: z.string(),
  outputType: 'text/event-stream',
} as const

/** Routes for the events of deployments and previews. */
export const eventRoutes = [
  defineRoute({
    method: 'GET',
    path: '/v1/stacks/{project}/{stack}/deployments/{number}/events',
    role: 'read',
    scope: 'stack',
    summary: 'List the events of a deployment, page by page',
    query: z.object(pageQuery),
    output: z.object({
      items: z.array(z.looseObject({})),
      next: z.string(),
      hasMore: z.boolean(),
    }),
    run: async (ports, { params, query: { limit, cursor } }) => {
      const { id } = await requireDeployment(ports, params)
      const page = await ports.events.read(id, parseCursor(cursor), limit)
      const items = page.events.map((line): unknown => JSON.parse(line))
      return { json: { items, next: String(page.cursor), hasMore: page.hasMore } }
    },
  }),
  defineRoute({
    ...streamRoute,
    path: '/v1/stacks/{project}/{stack}/deployments/{number}/stream',
    summary: 'Stream the events of a deployment; last-event-id continues after an event',
    run: async (ports, call) => {
      const { id } = await requireDeployment(ports, call.params)
      const release = await call.stream.takeSlot()
      const position = createStreamPosition(ports, call.stream, lastIdOf(call))
      return { response: toStreamResponse(ports, streamDeployment(position, id), release) }
    },
  }),
  defineRoute({
    ...streamRoute,
    path: '/v1/stacks/{project}/{stack}/requests/{key}/stream',
    summary:
      'Stream the progress of a request: the events of its preview or deployment, and its end',
    run: async (ports, call) => {
      const { request } = await requireRequest(ports, call.params)
      const { key } = request
      const dryRun = !isEditRequest(request) && request.dryRun
      const release = await call.stream.takeSlot()
      const position = createStreamPosition(ports, call.stream, lastIdOf(call))
      const messages = streamRequest(position, { stack: stackOf(call.params), key, dryRun })
      return { response: toStreamResponse(ports, messages, release) }
    },
  }),
]

function lastIdOf({ request }: RouteCall<unknown, unknown>): string {
  return request.headers.get('last-event-id') ?? ''
}
