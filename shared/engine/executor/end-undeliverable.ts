import { messageOf } from '../../errors/error.ts'
import type { Outcome, OutcomeError } from '../../records/head.ts'
import type { OperationId } from '../../records/ids.ts'
import type { Operation } from '../../records/operation.ts'
import { failureEndOf } from '../step-end.ts'
import type { ExecutionContext, ExecutorPorts } from './execution-context.ts'
import { releaseWaiters } from './release-waiters.ts'
import { errorSourceOf } from '../../providers/retry-policy.ts'

/**
 * Ends an operation whose last delivery failed, so that the deployment continues. The last error is
 * reported as the cause. The operation fails if no attempt can have called the provider. Otherwise
 * it ends as interrupted. An operation that still lacks arrivals is not ended, because its last
 * arrival sends a new message. Returns the single waiter to continue with. Throws `thrown` when
 * this process may not decide: the operation has an owner or an end, or the store failed.
 */
export async function endUndeliverableOperation(
  ports: ExecutorPorts,
  context: ExecutionContext,
  { operation, thrown }: { readonly operation: Operation; readonly thrown: unknown },
): Promise<OperationId | undefined> {
  const { deployment } = context
  const { id } = operation
  if (errorSourceOf(thrown) === 'store') throw thrown
  const head = (await ports.operations.getHeads(deployment, [id])).get(id)
  const { owner = '', attempt = 0, givenBack = 0 } = head ?? {}
  if (head?.end !== undefined || owner !== '') throw thrown
  if ((head?.arrived.length ?? 0) < operation.needs) return undefined
  const verdict = attempt > givenBack ? 'interrupted' : 'failed'
  const cause: OutcomeError = {
    message: `every delivery of this operation failed: ${messageOf(thrown)}`,
    status: verdict === 'failed' ? 'ok' : 'unknown',
  }
  if (verdict === 'failed') {
    const nowMs = ports.clock.now()
    const times = { startedAt: nowMs, endedAt: nowMs }
    const outcome: Outcome = { operation: id, attempt, verdict, error: cause, ...times }
    await ports.operations.putOutcome(deployment, outcome)
  }
  if (!(await ports.operations.select(deployment, id, { owner, attempt, verdict }))) throw thrown
  await emitUndeliverableEnd(context, operation, cause)
  ports.hints.hint(deployment, id)
  return releaseWaiters(ports, context, { operation, verdict, isRedelivered: false })
}

/**
 * Reports the end of the operation. The generator reports it instead if the step has hooks, or if
 * the step cannot be opened here.
 */
async function emitUndeliverableEnd(
  { emitter, openStep, reportedOperations }: ExecutionContext,
  operation: Operation,
  cause: OutcomeError,
): Promise<void> {
  if (operation.hooked === true) return
  const step = await openStep(operation).catch(() => undefined)
  if (step === undefined) return
  reportedOperations.add(operation.id)
  emitter.emitBegin(step)
  emitter.emitEnd(step, failureEndOf(cause))
}
