/** The places of `FuzzTask.progress`. */
export const progressPlaces = { currentIndex: 0, acceptedCount: 1, refusedCount: 2 } as const

/**
 * The task of the thread: `count` inputs from number `from` on. `progress` has the number of the
 * current input, and the counts of the inputs before it. The thread posts each defect at once, and
 * its result at the end.
 */
export interface FuzzTask {
  readonly decoder: string
  readonly seed: number
  readonly from: number
  readonly count: number
  readonly progress: Int32Array<SharedArrayBuffer>
}

/** A defect: the number of the input, the input in base64, and the error. */
export interface FuzzDefect {
  readonly index: number
  readonly input: string
  readonly problem: string
}

/** A message of a thread: a new defect, or the processor time of the slowest input at the end. */
export type FuzzMessage =
  | { readonly kind: 'defect'; readonly defect: FuzzDefect }
  | { readonly kind: 'end'; readonly slowestMs: number }
