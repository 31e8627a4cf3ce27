import { setTimeout as sleep } from 'node:timers/promises'
import { localCloudLimits } from '../../shared/config/local-cloud-limits.ts'
import type { InvocationOutcome } from './environment.ts'

/** Reports whether an event is small enough for an asynchronous call. */
export function fitsAsynchronousCall(event: string): boolean {
  return Buffer.byteLength(event) <= localCloudLimits.asynchronousBytesMax
}

/**
 * Makes an asynchronous call, and retries it after a failure, as Lambda does. Reports each failure.
 * Never rejects if `invoke` does not. Source: Lambda's page on errors of asynchronous calls.
 */
export async function callWithRetries(
  invoke: () => Promise<InvocationOutcome>,
  { onFailure, signal }: { onFailure: (reason: string) => void; signal: AbortSignal },
): Promise<void> {
  for (let retries = 0; ; retries += 1) {
    const outcome = await invoke()
    if (outcome.kind === 'answered' || signal.aborted) return
    onFailure(outcome.reason)
    if (retries === localCloudLimits.callRetriesMax) return
    await sleep(localCloudLimits.callRetryMs, undefined, { signal }).catch(() => undefined)
  }
}
