import type { ServiceRoute } from './service-route.ts'

/**
 * Paths of features that the service does not have, with the replies that let commands continue:
 * policy packs, the registry, and templates. Every other path is answered with 404.
 */
const emptyReplies: Readonly<Record<string, unknown>> = {
  '/api/stacks/{org}/{project}/{stack}/policypacks': { requiredPolicies: [] },
  '/api/orgs/{org}/policypacks': { policyPacks: [] },
  '/api/orgs/{org}/policygroups': { policyGroups: [] },
  '/api/orgs/{org}/templates': {
    ...{ templates: {}, orgHasTemplates: false },
    ...{ hasAccessError: false, hasUpstreamError: false },
  },
  '/api/console/orgs/{org}/integrations/github-app': { installed: false },
  '/api/orgs/{org}/members': { members: [], continuationToken: '' },
  '/api/registry/packages': { packages: [] },
  '/api/registry/templates': { templates: [] },
  '/api/esc/environments/{org}': { environments: [] },
}

/** Routes whose replies contain nothing. */
export const emptyRoutes: readonly ServiceRoute[] = Object.entries(emptyReplies).map(
  ([path, reply]): ServiceRoute => ({
    method: 'GET',
    path,
    role: 'read',
    run: async () => reply,
  }),
)
