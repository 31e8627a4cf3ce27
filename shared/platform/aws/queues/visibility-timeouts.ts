import type { Pool } from '../../../records/pool.ts'

/**
 * A receipt: the queue, who removes the message (whoever got it by a receive does; an event source
 * removes what its function has handled), and SQS's own handle.
 */
export interface Receipt {
  readonly pool: Pool
  readonly by: 'receive' | 'event'
  readonly handle: string
}

/** A receipt as text, for the port. */
export function formatReceipt({ pool, by, handle }: Receipt): string {
  return `${pool}/${by}/${handle}`
}

/** Undefined for what is no receipt of ours. */
export function parseReceipt(text: string): Receipt | undefined {
  const [, pool, by, handle] = /^(short|long)\/(receive|event)\/(.+)$/s.exec(text) ?? []
  if (handle === undefined) return undefined
  return { pool: pool as Pool, by: by as Receipt['by'], handle }
}

/** Answers of SQS that say: this receipt is void. */
const voidNames: ReadonlySet<string | undefined> = new Set([
  ...['ReceiptHandleIsInvalid', 'MessageNotInflight', 'InvalidParameterValue'],
  'InvalidParameterValueException',
])

/** Whether an error of this name says that a receipt is void. */
export function isVoidReceipt(name: string | undefined): boolean {
  return voidNames.has(name)
}

/**
 * Until when deliveries of this process are its own. SQS may take the old receipt of a message that
 * was given to someone else; who knows that the time is over does not ask.
 */
export interface VisibilityTimeouts {
  readonly note: (receipt: string, forMs: number) => void
  /** Whether it is surely over; false for a receipt that was never noted. */
  readonly isExpired: (receipt: string) => boolean
  readonly forget: (receipt: string) => void
}

/** How long a loan that is over is remembered: nobody extends it after that. */
const rememberedMs = 600_000

/** Loans on a clock that counts suspension. */
export function createVisibilityTimeouts(monotonicMs: () => number): VisibilityTimeouts {
  const until = new Map<string, number>()
  return {
    note(receipt, forMs) {
      const nowMs = monotonicMs()
      for (const [old, untilMs] of until) {
        // In order of noting: the rest is younger.
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
