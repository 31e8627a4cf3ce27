import type { ServiceRoute } from './service-route.ts'

/**
 * Replies for features that the service does not have, such as policy packs, the registry and
 * templates. With these replies, clients continue their commands.
 */
const emptyReplies: Readonly<Record<string, unknown>> = {
  '/api/stacks/{org}/{project}/{stack}/policypacks': { requiredPolicies: [] },
  '/api/stacks/{org}/{project}/{stack}/policygroups': { policyGroups: [] },
  '/api/orgs/{org}/policypacks': { policyPacks: [] },
  '/api/orgs/{org}/policygroups': { policyGroups: [] },
  '/api/orgs/{org}/templates': {
    templates: {},
    orgHasTemplates: false,
    hasAccessError: false,
    hasUpstreamError: false,
  },
  '/api/console/orgs/{org}/integrations/github-app': { installed: false },
  '/api/orgs/{org}/members': { members: [], continuationToken: '' },
  '/api/registry/packages': { packages: [] },
  '/api/registry/templates': { templates: [] },
  '/api/esc/environments/{org}': { environments: [] },
}

/** Replies to searches, which clients send with POST. */
const emptySearchReplies: Readonly<Record<string, unknown>> = {
  '/api/orgs/{org}/policyresults/issues': { policyIssues: [], rowCount: 0 },
  '/api/orgs/{org}/policyresults/compliance': { columns: [], rows: [] },
}

/** Routes whose replies contain nothing. */
export const emptyRoutes: readonly ServiceRoute[] = [
  ...createEmptyRoutes('GET', emptyReplies),
  ...createEmptyRoutes('POST', emptySearchReplies),
]

function createEmptyRoutes(
  method: 'GET' | 'POST',
  replies: Readonly<Record<string, unknown>>,
): readonly ServiceRoute[] {
  return Object.entries(replies).map(
    ([path, reply]): ServiceRoute => ({ method, path, role: 'read', run: async () => reply }),
  )
}
