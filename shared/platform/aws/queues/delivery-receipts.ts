import type { Pool } from '../../../records/pool.ts'

/**
 * A receipt: the pool, the source of the message, and the handle of SQS. The receiver removes a
 * message that it received itself. An event source removes the messages that it delivers.
 */
export interface Receipt {
  readonly pool: Pool
  readonly source: 'receive' | 'event'
  readonly handle: string
}

/** Formats a receipt as text for the port. */
export function formatReceipt({ pool, source, handle }: Receipt): string {
  return `${pool}/${source}/${handle}`
}

/** Parses a receipt. Returns undefined for any other text. */
export function parseReceipt(text: string): Receipt | undefined {
  const [, pool, source, handle] = /^(short|long)\/(receive|event)\/(.+)$/s.exec(text) ?? []
  if (handle === undefined) return undefined
  return { pool: pool as Pool, source: source as Receipt['source'], handle }
}

/** Names of SQS errors for an invalid receipt. */
const invalidReceiptErrorNames: ReadonlySet<string | undefined> = new Set([
  'ReceiptHandleIsInvalid',
  'MessageNotInflight',
  'InvalidParameterValue',
  'InvalidParameterValueException',
])

/** Reports whether an error name means that a receipt is invalid. */
export function isInvalidReceiptError(name: string | undefined): boolean {
  return invalidReceiptErrorNames.has(name)
}

/**
 * The visibility timeouts of this process's deliveries. SQS may accept the old receipt of a message
 * that was delivered to another receiver, so an expired receipt must not be used.
 */
export interface VisibilityTimeouts {
  readonly track: (receipt: string, timeoutMs: number) => void
  /** Reports whether the timeout has passed. Returns false for an unknown receipt. */
  readonly isExpired: (receipt: string) => boolean
  readonly forget: (receipt: string) => void
}

/** Time for which expired timeouts are remembered. No caller extends a delivery after that time. */
const expiredRetentionMs = 600_000

/** Creates the timeouts. `monotonicMs` must include the time in suspension. */
export function createVisibilityTimeouts(monotonicMs: () => number): VisibilityTimeouts {
  const expiryTimes = new Map<string, number>()
  return {
    track(receipt, timeoutMs) {
      const nowMs = monotonicMs()
      for (const [oldReceipt, expiresAtMs] of expiryTimes) {
        // Entries are in insertion order, so the remaining ones are newer.
        if (expiresAtMs + expiredRetentionMs > nowMs) break
        expiryTimes.delete(oldReceipt)
      }
      expiryTimes.delete(receipt)
      expiryTimes.set(receipt, nowMs + timeoutMs)
    },
    isExpired: receipt => (expiryTimes.get(receipt) ?? Number.POSITIVE_INFINITY) <= monotonicMs(),
    forget: receipt => void expiryTimes.delete(receipt),
  }
}
