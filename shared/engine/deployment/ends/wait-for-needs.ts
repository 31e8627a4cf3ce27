import type { HintsPort } from '../../../ports/queue.ts'
import type { OperationsPort } from '../../../ports/records.ts'
import type { ClockPort } from '../../../ports/system.ts'
import type { DeploymentId } from '../../../records/ids.ts'
import type { Operation } from '../../../records/operation.ts'
import { headReadPauses } from './end-watcher.ts'

/** The dependencies of waiting for an operation's needs. */
export interface WaitForNeedsDeps {
  readonly deployment: DeploymentId
  readonly operations: Pick<OperationsPort, 'getHeads'>
  readonly hints: HintsPort
  readonly clock: ClockPort
}

/**
 * Resolves when the head of an operation has the arrivals of all its needs. After `endSignal`
 * aborts, the promise may stay pending forever. Hints trigger a read of the head, which is
 * authoritative (I4).
 */
export async function waitForNeeds(
  deps: WaitForNeedsDeps,
  { id, needs }: Pick<Operation, 'id' | 'needs'>,
  endSignal: AbortSignal,
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
    const stop = (): void => wakeUp.abort()
    endSignal.addEventListener('abort', stop)
    try {
      const head = (await deps.operations.getHeads(deps.deployment, [id])).get(id)
      if ((head?.arrived.length ?? 0) >= needs) return
      await deps.clock.sleep(pauseMs, wakeUp.signal)
    } finally {
      stopListening()
      endSignal.removeEventListener('abort', stop)
    }
    if (endSignal.aborted) await new Promise(() => undefined)
  }
}
