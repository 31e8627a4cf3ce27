import { checkpointRoutes } from './checkpoint-routes.ts'
import { serviceEditRoutes } from './edit-routes.ts'
import { pulumiDeploymentRoutes } from './deployment-routes.ts'
import { deploymentSettingsRoutes } from './deployment-settings.ts'
import { driftRoutes } from './drift-routes.ts'
import { emptyRoutes } from './empty-routes.ts'
import { serviceEventRoutes } from './event-routes.ts'
import { historyRoutes } from './history-routes.ts'
import { serviceScheduleRoutes } from './schedule-routes.ts'
import { secretRoutes } from './secret-routes.ts'
import type { ServiceRoute } from './service-route.ts'
import { sessionRoutes } from './session-routes.ts'
import { serviceStackRoutes } from './stack-routes.ts'
import { updateRoutes } from './update-routes.ts'

/**
 * All routes of the service, with their permissions, except for the delegated routes of
 * `delegated-routes.ts`.
 */
export const serviceRoutes: readonly ServiceRoute[] = [
  ...sessionRoutes,
  ...serviceStackRoutes,
  ...updateRoutes,
  ...checkpointRoutes,
  ...serviceEventRoutes,
  ...secretRoutes,
  ...historyRoutes,
  ...serviceEditRoutes,
  // Paths such as `deployments/settings` must precede the path `deployments/{id}`.
  ...deploymentSettingsRoutes,
  ...serviceScheduleRoutes,
  ...driftRoutes,
  ...pulumiDeploymentRoutes,
  ...emptyRoutes,
]
