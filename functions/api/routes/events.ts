import { z } from 'zod'
import {
  streamDeployment,
  createStreamPosition,
  streamRequest,
  toStreamResponse,
} from '../event-stream.ts'
import { parseCursor, pageQuery } from '../pages.ts'
import { type RouteCall, defineRoute, stackOf } from '../define-route.ts'
import { requireDeployment } from './deployments.ts'
import { requireRequest } from './requests.ts'

const streamed = {
  method: 'GET',
  role: 'read',
  scope: 'stack',
  output: z.string(),
  outputType: 'text/event-stream',
} as const

/** What deployments and previews tell while they run. */
export const eventRoutes = [
  defineRoute({
    method: 'GET',
    path: '/v1/stacks/{project}/{stack}/deployments/{number}/events',
    role: 'read',
    scope: 'stack',
    summary: 'The events of a deployment, a page at a time',
    query: z.object(pageQuery),
    output: z.object({ items: z.array(z.looseObject({})), next: z.string() }),
    run: async (ports, { params, query: { limit, cursor } }) => {
      const { id } = await requireDeployment(ports, params)
      const page = await ports.events.read(id, parseCursor(cursor), limit)
      const items = page.events.map((line): unknown => JSON.parse(line))
      return { json: { items, next: String(page.cursor) } }
    },
  }),
  defineRoute({
    ...streamed,
    path: '/v1/stacks/{project}/{stack}/deployments/{number}/stream',
    summary: 'The events of a deployment as they come; last-event-id goes on after an event',
    run: async (ports, call) => {
      const { id } = await requireDeployment(ports, call.params)
      const reading = createStreamPosition(ports, lastIdOf(call))
      return { response: toStreamResponse(ports, streamDeployment(reading, id)) }
    },
  }),
  defineRoute({
    ...streamed,
    path: '/v1/stacks/{project}/{stack}/requests/{key}/stream',
    summary: 'What a request becomes: the events of its preview or deployment, and its end',
    run: async (ports, call) => {
      const { request } = await requireRequest(ports, call.params)
      const { key, dryRun } = request
      const reading = createStreamPosition(ports, lastIdOf(call))
      const messages = streamRequest(reading, { stack: stackOf(call.params), key, dryRun })
      return { response: toStreamResponse(ports, messages) }
    },
  }),
]

function lastIdOf({ request }: RouteCall<unknown, unknown>): string {
  return request.headers.get('last-event-id') ?? ''
}
