import type { TriggerPorts } from '../../ports/documents.ts'
import type { NotificationsPort } from '../../ports/notifications.ts'
import type { Pin } from '../../engine/deployment/log/log-view.ts'
import type { DeployRequest } from '../../engine/request.ts'
import type { RequestsPort } from '../../ports/requests.ts'
import type { DeploymentId } from '../../records/ids.ts'
import type { DeploymentRequest } from '../../records/request.ts'
import type { StackRunDeps } from '../environment/stack-run-deps.ts'

/** Who wants to know, what was told, and how messages leave. */
export interface NotifierPorts extends Pick<TriggerPorts, 'documents' | 'marks'> {
  readonly notifications: Pick<NotificationsPort, 'send'>
}

/** What a generator that serves stacks asks of the outside. */
export interface StackServer extends StackRunDeps {
  readonly requests: RequestsPort
  /** With what the ends of deployments are told; nobody is told where it is absent. */
  readonly notifier?: NotifierPorts
  /** What a request of a stack's queue asks for. Throws when its program cannot be opened. */
  readonly open: (request: DeploymentRequest) => Promise<DeployRequest>
  /** What a deployment was asked with, found again by its pin. */
  readonly reopen: (deployment: DeploymentId, pin: Pin) => Promise<DeployRequest>
}
