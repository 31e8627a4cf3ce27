import type { Pool } from '../../../records/pool.ts'

/**
 * A receipt: the pool, the remover, and the handle of SQS. A message from a receive is removed by
 * its receiver, a message from an event source by the event source.
 */
export interface Receipt {
  readonly pool: Pool
  readonly by: 'receive' | 'event'
  readonly handle: string
}

/** Formats a receipt as text for the port. */
export function formatReceipt({ pool, by, handle }: Receipt): string {
  return `${pool}/${by}/${handle}`
}

/** Parses a receipt. Returns undefined for any other text. */
export function parseReceipt(text: string): Receipt | undefined {
  const [, pool, by, handle] = /^(short|long)\/(receive|event)\/(.+)$/s.exec(text) ?? []
  if (handle === undefined) return undefined
  return { pool: pool as Pool, by: by as Receipt['by'], handle }
}

/** Names of SQS errors for an invalid receipt. */
const voidNames: ReadonlySet<string | undefined> = new Set([
  ...['ReceiptHandleIsInvalid', 'MessageNotInflight', 'InvalidParameterValue'],
  'InvalidParameterValueException',
])

/** Reports whether an error name means that a receipt is invalid. */
export function isVoidReceipt(name: string | undefined): boolean {
  return voidNames.has(name)
}

/**
 * The visibility timeouts of this process's deliveries. SQS may accept the old receipt of a message
 * that was delivered to another receiver, so an expired receipt must not be used.
 */
export interface VisibilityTimeouts {
  readonly note: (receipt: string, forMs: number) => void
  /** Reports whether the timeout has passed. False for an unknown receipt. */
  readonly isExpired: (receipt: string) => boolean
  readonly forget: (receipt: string) => void
}

/** Time for which expired timeouts are kept. No caller extends one later. */
const rememberedMs = 600_000

/** Creates the timeouts on a clock that includes suspension. */
export function createVisibilityTimeouts(monotonicMs: () => number): VisibilityTimeouts {
  const until = new Map<string, number>()
  return {
    note(receipt, forMs) {
      const nowMs = monotonicMs()
      for (const [old, untilMs] of until) {
        // Entries are in insertion order, so the remaining ones are newer.
        if (untilMs + rememberedMs > nowMs) break
        until.delete(old)
      }
      until.delete(receipt)
      until.set(receipt, nowMs + forMs)
    },
    isExpired: receipt => (until.get(receipt) ?? Number.POSITIVE_INFINITY) <= monotonicMs(),
    forget: receipt => void until.delete(receipt),
  }
}
