import { z } from 'zod'
import { roles } from '../roles.ts'
import { defineRoute } from '../define-route.ts'

/** Who calls. */
export const whoamiRoutes = [
  defineRoute({
    method: 'GET',
    path: '/v1/whoami',
    role: 'read',
    scope: 'any',
    summary: 'What the token may do',
    output: z.object({
      name: z.string(),
      role: z.enum(roles),
      stacks: z.union([z.literal('*'), z.array(z.string())]),
    }),
    run: async (_ports, { caller: { name, role, stacks } }) => ({ json: { name, role, stacks } }),
  }),
]
