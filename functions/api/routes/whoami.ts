import * as z from 'zod'
import { defaultGroup } from '../../../shared/config/stack-groups.ts'
import { processPlatform } from '../../../shared/config/process-platform.ts'
import { roles } from '../../../shared/api/authorization.ts'
import { defineRoute } from '../../../shared/api/define-route.ts'

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
      /** The groups of stacks, for an administrator of the installation. */
      groups: z.array(z.string()).optional(),
    }),
    run: async ({ publicUrl: dashboard, stackGroups = [] }, { caller: { name, role, stacks } }) => {
      const names = [defaultGroup, ...stackGroups.map(group => group.name)]
      const groupsField = role === 'admin' && stacks === '*' ? { groups: names } : {}
      const json = { name, role, stacks, platform: processPlatform, dashboard, ...groupsField }
      return { json }
    },
  }),
]
