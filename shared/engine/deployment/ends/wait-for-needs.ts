import type { HintsPort } from '../../../ports/queue.ts'
import type { OperationsPort } from '../../../ports/records.ts'
import type { ClockPort } from '../../../ports/system.ts'
import type { DeploymentId } from '../../../records/ids.ts'
import type { Operation } from '../../../records/operation.ts'

/** What it looks at, and what says when. */
export interface ReadyDeps {
  readonly deployment: DeploymentId
  readonly operations: Pick<OperationsPort, 'getHeads'>
  readonly hints: HintsPort
  readonly clock: ClockPort
}

/** When a head is read without a hint, in ms: at first, then after twice as long, at most so. */
const pauses = { firstMs: 2_000, mostMs: 16_000 } as const

/**
 * Resolves when everything that an operation waits for has ended well; never once `over` is
 * aborted. A hint says when to look, the head says what is (I4).
 */
export async function waitForNeeds(
  deps: ReadyDeps,
  { id, needs }: Pick<Operation, 'id' | 'needs'>,
  over: AbortSignal,
): Promise<void> {
  if (needs === 0) return
  for (let pauseMs: number = pauses.firstMs; ; pauseMs = Math.min(pauseMs * 2, pauses.mostMs)) {
    const hinted = new AbortController()
    const stopListening = deps.hints.listen(deps.deployment, other => {
      if (other === id) hinted.abort()
    })
    const stop = (): void => hinted.abort()
    over.addEventListener('abort', stop)
    try {
      const head = (await deps.operations.getHeads(deps.deployment, [id])).get(id)
      if ((head?.arrived.length ?? 0) >= needs) return
      await deps.clock.sleep(pauseMs, hinted.signal)
    } finally {
      stopListening()
      over.removeEventListener('abort', stop)
    }
    if (over.aborted) await new Promise(() => undefined)
  }
}
