import { limits } from '../../config/limits.ts'
import type { PublishedStep } from './view-steps.ts'

/** Takes what providers publish during calls to the calls that it belongs to. */
export interface StatusDesk {
  /** Lends a token for one call; `heard` throws what is wrong with a step. */
  readonly lend: (heard: (step: PublishedStep) => void) => {
    readonly token: string
    /** Says that the call is over: what comes later is refused. */
    readonly giveBack: () => void
  }
  /** Throws an error for the provider: a token that nobody holds, or what `heard` throws. */
  readonly publish: (token: string, steps: readonly PublishedStep[]) => void
}

/** Makes the desk of a process; `newToken`: text that nobody guesses. */
export function createStatusDesk(newToken: () => string): StatusDesk {
  const calls = new Map<string, { heard: (step: PublishedStep) => void; count: number }>()
  return {
    lend(heard) {
      const token = newToken()
      calls.set(token, { heard, count: 0 })
      return { token, giveBack: () => void calls.delete(token) }
    },
    publish(token, steps) {
      const call = calls.get(token)
      if (call === undefined) throw new Error(`token ${token} not found`)
      call.count += steps.length
      if (call.count > limits.viewStepsMax)
        throw new Error(`a call tells of at most ${limits.viewStepsMax} steps of views`)
      for (const step of steps) call.heard(step)
    },
  }
}
