import type { Base } from '../deployment/state/base.ts'
import type { StepEmitter } from '../events/step-emitter.ts'

/**
 * Warns of operations of the previous deployment whose end is unknown, if nothing is read before
 * the update. Source: docs/spec/deployment.md#order-of-execution.
 */
export function warnPendingOperations({ report }: Pick<StepEmitter, 'report'>, base: Base): void {
  const pending = base.snapshot.pendingOperations
  if (pending.length === 0) return
  const lines = pending.map(
    ({ resource, type }) => `  * ${resource.urn}, interrupted while ${type}`,
  )
  const message = [
    `Attempting to deploy or update resources with ${pending.length} pending operations from previous deployment.`,
    ...lines,
    'These resources are in an unknown state because a deployment was interrupted while it ' +
      'changed them. Check each resource at its provider, then run `antichain state pending ' +
      'import` if it exists, or `clear` if it does not.',
  ].join('\n')
  report('warning', message)
}
