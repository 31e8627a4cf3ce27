import type { TriggerPorts } from '../../ports/documents.ts'
import type { NotificationsPort } from '../../ports/notifications.ts'
import type { Pin } from '../../engine/deployment/log/log-view.ts'
import type { DeployInput } from '../../engine/request.ts'
import type { RequestsPort } from '../../ports/requests.ts'
import type { DeploymentId } from '../../records/ids.ts'
import type { DeploymentRequest } from '../../records/stack-request.ts'
import type { RequestAuthorization } from '../credentials/authorize-request.ts'
import type { StackRunDeps } from '../environment/stack-run-deps.ts'

/**
 * The ports of notifications: the receivers, the marks of sent notifications, and the outgoing
 * queue.
 */
export interface NotifierPorts extends Pick<TriggerPorts, 'documents' | 'marks'> {
  readonly notifications: Pick<NotificationsPort, 'send'>
}

/** Dependencies of a generator that serves stacks. */
export interface StackServerDeps extends StackRunDeps {
  readonly requests: RequestsPort
  /** Sends notifications and replies to webhooks. Absent: none are sent. */
  readonly notifier?: NotifierPorts
  /**
   * Authorizes requests. Absent on a platform where each process that can put a request has all
   * permissions anyway.
   */
  readonly authorization?: RequestAuthorization
  /**
   * Returns the `DeployInput` for a queued request. Throws when its program cannot be opened.
   */
  readonly open: (request: DeploymentRequest) => Promise<DeployInput>
  /** Returns the `DeployInput` of a deployment by its pin, for a later generator run. */
  readonly reopen: (deployment: DeploymentId, pin: Pin) => Promise<DeployInput>
}
