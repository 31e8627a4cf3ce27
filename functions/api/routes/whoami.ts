import * as z from 'zod'
import { processPlatform } from '../../../shared/config/process-platform.ts'
import { roles } from '../authorization.ts'
import { defineRoute } from '../define-route.ts'

/** The route that returns the permissions of the caller. */
export const whoamiRoutes = [
  defineRoute({
    method: 'GET',
    path: '/v1/whoami',
    role: 'read',
    scope: 'any',
    summary: 'Get the permissions of the token, and the platform that runs programs',
    output: z.object({
      name: z.string(),
      role: z.enum(roles),
      stacks: z.union([z.literal('*'), z.array(z.string())]),
      /** The platform of the programs of stacks, in Node's names. */
      platform: z.object({ os: z.string(), arch: z.string() }),
      /** The public address of the dashboard. Absent if none is configured. */
      dashboard: z.string().optional(),
    }),
    run: async ({ publicUrl: dashboard }, { caller: { name, role, stacks } }) => ({
      json: { name, role, stacks, platform: processPlatform, dashboard },
    }),
  }),
]
