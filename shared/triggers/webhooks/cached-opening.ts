import { triggerLimits } from '../../config/trigger-limits.ts'
import type { SealingPort } from '../../ports/documents.ts'
import type { ClockPort } from '../../ports/system.ts'

/** A secret that this process has opened, and the time at which it is opened again. */
interface OpenedSecret {
  readonly text: Promise<string>
  readonly expiresAtMs: number
}

/**
 * Returns a sealing port that caches opened secrets in the memory of this process for a limited
 * time. A flood of wrongly signed deliveries then opens each secret once in that time. The key of
 * an entry contains the sealed text, so a changed secret is opened immediately. Failures are not
 * cached.
 */
export function withCachedOpening(
  sealing: SealingPort,
  clock: Pick<ClockPort, 'now'>,
): SealingPort {
  const openedSecrets = new Map<string, OpenedSecret>()
  return {
    ...sealing,
    open: (sealedText, context) => {
      const key = JSON.stringify([sealedText, context])
      const nowMs = clock.now()
      const existing = openedSecrets.get(key)
      if (existing !== undefined && existing.expiresAtMs > nowMs) return existing.text
      const text = sealing.open(sealedText, context)
      const oldestKey =
        openedSecrets.size < triggerLimits.openedSecretsMax
          ? undefined
          : [...openedSecrets.keys()][0]
      if (oldestKey !== undefined) openedSecrets.delete(oldestKey)
      openedSecrets.delete(key)
      openedSecrets.set(key, { text, expiresAtMs: nowMs + triggerLimits.openedSecretMs })
      text.catch(() => openedSecrets.delete(key))
      return text
    },
  }
}
