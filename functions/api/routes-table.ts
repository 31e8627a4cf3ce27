import type { Route } from '../../shared/api/define-route.ts'
import { whoamiRoutes } from './routes/whoami.ts'
import { auditRoutes } from './routes/audit.ts'
import { approvalRoutes } from './routes/approvals.ts'
import { deadNotificationRoutes } from './routes/dead-notifications.ts'
import { deploymentRoutes } from './routes/deployments.ts'
import { diffRoutes } from './routes/diff.ts'
import { deliveryRoutes } from './routes/deliveries.ts'
import { documentRoutes } from './routes/documents.ts'
import { driftListRoutes } from './routes/drift-list.ts'
import { stackDriftRoutes } from './routes/drift.ts'
import { editRoutes } from './routes/edits.ts'
import { eventRoutes } from './routes/events.ts'
import { federationRoutes } from './routes/federations.ts'
import { limitRoutes } from './routes/limits.ts'
import { operationRoutes } from './routes/operations.ts'
import { packageRegistryRoutes } from './routes/package-registries.ts'
import { pluginSourceRoutes } from './routes/plugin-sources.ts'
import { policyRoutes } from './routes/policies.ts'
import { pluginRoutes } from './routes/plugins.ts'
import { programRoutes } from './routes/programs.ts'
import { queryRoutes } from './routes/query.ts'
import { queueRoutes } from './routes/queues.ts'
import { requestRoutes } from './routes/requests.ts'
import { stackRoutes } from './routes/stacks.ts'
import { stateRoutes } from './routes/state.ts'
import { tagRoutes } from './routes/tags.ts'
import { tokenRoutes } from './routes/tokens.ts'

/** All routes of the API, with their permissions. */
export const routes: readonly Route[] = [
  ...whoamiRoutes,
  ...stackRoutes,
  ...programRoutes,
  ...pluginRoutes,
  ...pluginSourceRoutes,
  ...packageRegistryRoutes,
  ...requestRoutes,
  ...approvalRoutes,
  ...editRoutes,
  ...deploymentRoutes,
  ...operationRoutes,
  ...eventRoutes,
  ...stateRoutes,
  ...diffRoutes,
  ...queryRoutes,
  ...queueRoutes,
  ...tagRoutes,
  ...limitRoutes,
  ...documentRoutes,
  ...deliveryRoutes,
  ...stackDriftRoutes,
  ...driftListRoutes,
  ...policyRoutes,
  ...deadNotificationRoutes,
  ...federationRoutes,
  ...tokenRoutes,
  ...auditRoutes,
]
