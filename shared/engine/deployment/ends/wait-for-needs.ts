import type { HintsPort } from '../../../ports/queue.ts'
import type { OperationsPort } from '../../../ports/records.ts'
import type { ClockPort } from '../../../ports/system.ts'
import type { DeploymentId } from '../../../records/ids.ts'
import type { Operation } from '../../../records/operation.ts'
import { headReadPauses } from './end-watcher.ts'

/** The dependencies of `waitForNeeds`. */
export interface WaitForNeedsDeps {
  readonly deployment: DeploymentId
  readonly operations: Pick<OperationsPort, 'getHeads'>
  readonly hints: HintsPort
  readonly clock: ClockPort
}

/**
 * Resolves when the head of a hook, or of a call with hooks, has the arrivals of all its needs. The
 * process that adds the last arrival of a hook sends a hint with the id of the hook. A hint only
 * triggers a read of the head, which is authoritative (I4). `abandonSignal`: aborts when the caller
 * no longer needs the result. Then the promise may stay pending forever.
 */
export async function waitForNeeds(
  deps: WaitForNeedsDeps,
  { id, needs }: Pick<Operation, 'id' | 'needs'>,
  abandonSignal: AbortSignal,
): Promise<void> {
  if (needs === 0) return
  for (
    let pauseMs: number = headReadPauses.firstPauseMs;
    ;
    pauseMs = Math.min(pauseMs * 2, headReadPauses.longestPauseMs)
  ) {
    const wakeUp = new AbortController()
    const stopListening = deps.hints.listen(deps.deployment, hintedId => {
      if (hintedId === id) wakeUp.abort()
    })
    const onAbandoned = (): void => wakeUp.abort()
    abandonSignal.addEventListener('abort', onAbandoned)
    try {
      const head = (await deps.operations.getHeads(deps.deployment, [id])).get(id)
      if ((head?.arrived.length ?? 0) >= needs) return
      await deps.clock.sleep(pauseMs, wakeUp.signal)
    } finally {
      stopListening()
      abandonSignal.removeEventListener('abort', onAbandoned)
    }
    if (abandonSignal.aborted) await new Promise(() => undefined)
  }
}
