import { z } from 'zod'
import { deploymentStream, readingFrom, requestStream, streamResponse } from '../event-stream.ts'
import { numberOf, pageQuery } from '../page.ts'
import { type Asked, route, stackOf } from '../route.ts'
import { knownDeployment } from './deployments.ts'
import { knownRequest } from './requests.ts'

const streamed = {
  method: 'GET',
  role: 'read',
  scope: 'stack',
  output: z.string(),
  outputType: 'text/event-stream',
} as const

/** What deployments and previews tell while they run. */
export const eventRoutes = [
  route({
    method: 'GET',
    path: '/v1/stacks/{project}/{stack}/deployments/{number}/events',
    role: 'read',
    scope: 'stack',
    summary: 'The events of a deployment, a page at a time',
    query: z.object(pageQuery),
    output: z.object({ items: z.array(z.looseObject({})), next: z.string() }),
    run: async (ports, { params, query: { limit, cursor } }) => {
      const { id } = await knownDeployment(ports, params)
      const page = await ports.events.read(id, numberOf(cursor), limit)
      const items = page.events.map((line): unknown => JSON.parse(line))
      return { json: { items, next: String(page.cursor) } }
    },
  }),
  route({
    ...streamed,
    path: '/v1/stacks/{project}/{stack}/deployments/{number}/stream',
    summary: 'The events of a deployment as they come; last-event-id goes on after an event',
    run: async (ports, asked) => {
      const { id } = await knownDeployment(ports, asked.params)
      const reading = readingFrom(ports, lastIdOf(asked))
      return { response: streamResponse(ports, deploymentStream(reading, id)) }
    },
  }),
  route({
    ...streamed,
    path: '/v1/stacks/{project}/{stack}/requests/{key}/stream',
    summary: 'What a request becomes: the events of its preview or deployment, and its end',
    run: async (ports, asked) => {
      const { request } = await knownRequest(ports, asked.params)
      const { key, dryRun } = request
      const reading = readingFrom(ports, lastIdOf(asked))
      const messages = requestStream(reading, { stack: stackOf(asked.params), key, dryRun })
      return { response: streamResponse(ports, messages) }
    },
  }),
]

function lastIdOf({ request }: Asked<unknown, unknown>): string {
  return request.headers.get('last-event-id') ?? ''
}
