import type { Caller } from '../api/authorization.ts'
import { organization, type ServiceRoute } from './service-route.ts'

/** The smallest size of a checkpoint for which clients without a journal send deltas. */
export const checkpointCutoffSizeBytes = 64 * 1024

/**
 * The capabilities of the service. Source: the type `APICapability` in
 * sdk/go/common/apitype/service.go of Pulumi 3.274.1.
 */
const capabilities = [
  { capability: 'batch-encrypt' },
  { capability: 'deployment-schema-version', version: 1, configuration: { version: 4 } },
]

const deltaCapability = {
  capability: 'delta-checkpoint-uploads-v2',
  version: 2,
  configuration: { checkpointCutoffSizeBytes },
}

/** Returns a user name from the name of a token: at most 40 letters, digits, `-` and `_`. */
function userNameOf({ name }: Pick<Caller, 'name'>): string {
  const userName = name.replaceAll(/[^A-Za-z0-9_-]+/g, '-').replaceAll(/^[-_]+|[-_]+$/g, '')
  return userName === '' ? 'token' : userName.slice(0, 40)
}

/** Routes for the login of clients, and for the features of the service. */
export const sessionRoutes: readonly ServiceRoute[] = [
  {
    method: 'GET',
    path: '/api/user',
    role: 'read',
    run: async (_ports, { caller }) => {
      const userName = userNameOf(caller)
      return {
        id: caller.id,
        githubLogin: userName,
        name: caller.name,
        email: '',
        avatarUrl: '',
        organizations: [{ githubLogin: organization, name: organization, avatarUrl: '' }],
        identities: [],
        siteAdmin: false,
        tokenInfo: { name: caller.name, organization: '', team: '' },
      }
    },
  },
  {
    method: 'GET',
    path: '/api/user/organizations/default',
    role: 'read',
    run: async () => ({ GitHubLogin: organization, Messages: [] }),
  },
  {
    method: 'GET',
    path: '/api/capabilities',
    role: 'read',
    run: async ({ announcesDeltas }) => ({
      capabilities: announcesDeltas === true ? [...capabilities, deltaCapability] : capabilities,
    }),
  },
]
