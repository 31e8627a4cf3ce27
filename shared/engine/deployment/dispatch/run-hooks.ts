import type { ChainQueuePort } from '../../../ports/queue.ts'
import type { OperationsPort } from '../../../ports/records.ts'
import type { DeploymentId, OperationId } from '../../../records/ids.ts'
import type { Operation } from '../../../records/operation.ts'
import { createRedactor, collectSecretTexts } from '../../../values/redact-secrets.ts'
import type { StepEmitter } from '../../events/step-emitter.ts'
import type { HookCall, ProgramHooks } from '../../hooks.ts'
import type { EndWatcher } from '../ends/end-watcher.ts'
import type { DecisionIndex } from '../log/decision-index.ts'
import type { LogWriter } from '../log/log-writer.ts'
import type { Sealing } from '../state/state-sealing.ts'

/** The dependencies of running a call with hooks. */
export interface HookDeps {
  readonly deployment: DeploymentId
  readonly writer: LogWriter
  readonly operations: OperationsPort
  readonly chains: ChainQueuePort
  readonly watcher: EndWatcher
  readonly sealing: Sealing
  readonly emitter: StepEmitter
  readonly earlierDecisions: DecisionIndex | undefined
  readonly nextId: () => OperationId
  readonly hooks: ProgramHooks
  /**
   * Whether the retry of a partially failed create is an update. In deployments with older rules,
   * the retry is a create.
   */
  readonly retriesCreateAsUpdate: boolean
  /**
   * Records the arrivals of an operation that the generator ended, and sends the operations that
   * became ready.
   */
  readonly releaseWaiters: (operation: Operation, verdict: 'succeeded' | 'failed') => Promise<void>
  /** Called when a hook failed after its step had succeeded. Returns whether the run continues. */
  readonly onHookFailed: () => 'continue' | 'abort'
}

/** Runs the hooks of one type and reports ignored failures. Returns the error of a failed hook. */
export async function runHooks(
  { hooks, emitter }: Pick<HookDeps, 'hooks' | 'emitter'>,
  hookCall: HookCall,
): Promise<string | undefined> {
  if (hookCall.names.length === 0) return undefined
  const { error, warnings } = await hooks.run(hookCall)
  const redact = createHookRedactor(hookCall)
  for (const warning of warnings) emitter.report('warning', redact(warning), hookCall.urn)
  return error === undefined ? undefined : redact(error)
}

/**
 * Creates a function that replaces the secrets of a hook's arguments in texts. A hook may repeat
 * its arguments, and no secret may get into a record or event (I8).
 */
export function createHookRedactor({ next, old }: HookCall): (text: string) => string {
  return createRedactor(collectSecretTexts(next?.inputs, next?.outputs, old?.inputs, old?.outputs))
}
