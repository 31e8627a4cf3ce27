import { limits } from '../../config/limits.ts'
import type { PublishedStep } from './view-steps.ts'

/** Takes what providers publish during calls to the calls that it belongs to. */
export interface ViewStatusRegistry {
  /** Lends a token for one call; `heard` throws what is wrong with a step. */
  readonly open: (onStep: (step: PublishedStep) => void) => {
    readonly token: string
    /** Says that the call is over: what comes later is refused. */
    readonly close: () => void
  }
  /** Throws an error for the provider: a token that nobody holds, or what `heard` throws. */
  readonly publish: (token: string, steps: readonly PublishedStep[]) => void
}

/** Makes the desk of a process; `newToken`: text that nobody guesses. */
export function createViewStatusRegistry(newToken: () => string): ViewStatusRegistry {
  const calls = new Map<string, { onStep: (step: PublishedStep) => void; count: number }>()
  return {
    open(onStep) {
      const token = newToken()
      calls.set(token, { onStep, count: 0 })
      return { token, close: () => void calls.delete(token) }
    },
    publish(token, steps) {
      const call = calls.get(token)
      if (call === undefined) throw new Error(`token ${token} not found`)
      call.count += steps.length
      if (call.count > limits.viewStepsMax)
        throw new Error(`a call tells of at most ${limits.viewStepsMax} steps of views`)
      for (const step of steps) call.onStep(step)
    },
  }
}
