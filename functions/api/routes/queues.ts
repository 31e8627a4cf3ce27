import * as z from 'zod'
import { defineRoute } from '../../../shared/api/define-route.ts'
import { createPageForm } from '../../../shared/api/pages.ts'

/** A queue in responses. The numbers are approximate. */
const queueView = z.object({
  queue: z.string(),
  /** Messages that no receiver has. */
  waiting: z.number(),
  /** Messages that a receiver has. */
  held: z.number(),
  /** Messages that failed repeatedly, if the API may count them. */
  dead: z.number().optional(),
})

/** The route of the queues' depths. */
export const queueRoutes = [
  defineRoute({
    method: 'GET',
    path: '/v1/queues',
    role: 'admin',
    scope: 'installation',
    summary: 'Count the messages of each queue; no queues where one process does all work',
    output: createPageForm(queueView),
    run: async ({ queueDepths }) => ({ json: { items: (await queueDepths?.read()) ?? [] } }),
  }),
]
