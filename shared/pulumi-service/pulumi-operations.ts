import type { DeploymentOptions } from '../records/log.ts'
import type { PulumiOperation } from '../triggers/pulumi-operation.ts'
import type { UpdateKind } from './client-update.ts'

/** The request of an operation, and the kind of the update that clients see. */
export interface OperationRequest extends Pick<DeploymentOptions, 'command' | 'refresh'> {
  readonly dryRun: boolean
  readonly kind: UpdateKind
  /**
   * The title in the log. After the title `pulumi <operation>`, clients show events instead of log
   * lines.
   */
  readonly title: string
}

/**
 * The requests of operations. The detection of drift is a refresh that is a preview, as in
 * schedules. Clients cannot show the events of the two operations on drift. So the titles of these
 * operations are not `pulumi <operation>`, and clients show log lines.
 */
export const operationRequests: Readonly<Record<PulumiOperation, OperationRequest>> = {
  update: { command: 'up', refresh: false, dryRun: false, kind: 'update', title: 'pulumi update' },
  preview: {
    command: 'up',
    refresh: false,
    dryRun: true,
    kind: 'preview',
    title: 'pulumi preview',
  },
  refresh: {
    command: 'refresh',
    refresh: false,
    dryRun: false,
    kind: 'refresh',
    title: 'pulumi refresh',
  },
  destroy: {
    command: 'destroy',
    refresh: false,
    dryRun: false,
    kind: 'destroy',
    title: 'pulumi destroy',
  },
  'detect-drift': {
    command: 'refresh',
    refresh: false,
    dryRun: true,
    kind: 'refresh',
    title: 'pulumi refresh --preview-only',
  },
  'remediate-drift': {
    command: 'up',
    refresh: true,
    dryRun: false,
    kind: 'update',
    title: 'pulumi update --refresh',
  },
}
