import { limits } from '../../config/limits.ts'
import type { ReportedViewStep } from './view-steps.ts'

/**
 * A registry of running provider calls. It passes each view step to the call whose token the
 * provider sent.
 */
export interface ViewStatusRegistry {
  /**
   * Registers a call. Returns the token that its provider sends with view steps. `onStep` throws
   * when a step is invalid.
   */
  readonly open: (onStep: (step: ReportedViewStep) => void) => {
    readonly token: string
    /** Ends the call. Later steps are refused. */
    readonly close: () => void
  }
  /**
   * Passes steps to their call. Throws an error for the provider when the token is unknown, when
   * the call has too many steps, or when `onStep` throws.
   */
  readonly publish: (token: string, steps: readonly ReportedViewStep[]) => void
}

/** Creates the registry of a process. `newToken`: returns an unguessable text. */
export function createViewStatusRegistry(newToken: () => string): ViewStatusRegistry {
  const calls = new Map<string, { onStep: (step: ReportedViewStep) => void; stepCount: number }>()
  return {
    open(onStep) {
      const token = newToken()
      calls.set(token, { onStep, stepCount: 0 })
      return { token, close: () => void calls.delete(token) }
    },
    publish(token, steps) {
      const call = calls.get(token)
      if (call === undefined) throw new Error(`token ${token} not found`)
      call.stepCount += steps.length
      if (call.stepCount > limits.viewStepsMax)
        throw new Error(`a call may report at most ${limits.viewStepsMax} view steps`)
      for (const step of steps) call.onStep(step)
    },
  }
}
