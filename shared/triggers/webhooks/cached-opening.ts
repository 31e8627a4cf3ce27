import { triggerLimits } from '../../config/trigger-limits.ts'
import type { SealingPort } from '../../ports/documents.ts'
import type { ClockPort } from '../../ports/system.ts'

/** A secret that this process has opened, and the time at which it is opened again. */
interface OpenedSecret {
  readonly text: Promise<string>
  readonly expiresMs: number
}

/**
 * Returns the sealing with opened secrets kept in the memory of this process for a limited time. A
 * flood of wrongly signed deliveries then opens each secret once in that time. The key of an entry
 * is the sealed text, so a changed secret is opened at once. Failures are not kept.
 */
export function withCachedOpening(
  sealing: SealingPort,
  clock: Pick<ClockPort, 'now'>,
): SealingPort {
  const opened = new Map<string, OpenedSecret>()
  return {
    ...sealing,
    open: (sealedText, context) => {
      const key = JSON.stringify([sealedText, context])
      const nowMs = clock.now()
      const existing = opened.get(key)
      if (existing !== undefined && existing.expiresMs > nowMs) return existing.text
      const text = sealing.open(sealedText, context)
      const oldestKey =
        opened.size < triggerLimits.openedSecretsMax ? undefined : [...opened.keys()][0]
      if (oldestKey !== undefined) opened.delete(oldestKey)
      opened.delete(key)
      opened.set(key, { text, expiresMs: nowMs + triggerLimits.openedSecretMs })
      text.catch(() => opened.delete(key))
      return text
    },
  }
}
