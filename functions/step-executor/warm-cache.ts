import { limits } from '../../shared/config/limits.ts'
import type { ClockPort } from '../../shared/ports/system.ts'
import type { PlanIndex } from '../../shared/engine/executor/plan-index.ts'
import type { EventRecorder } from '../../shared/engine/events/recorder.ts'
import type { DeploymentId, EpochMs } from '../../shared/records/ids.ts'
import {
  type RunEnvironment,
  closeRunEnvironment,
} from '../../shared/runtime/environment/run-environment.ts'
import { type RunInput } from '../../shared/runtime/environment/run-input.ts'

/** What the calls of one deployment share in one environment: plugins that run, configured. */
export interface WarmRun {
  readonly deployment: DeploymentId
  readonly input: RunInput
  readonly environment: RunEnvironment
  readonly recorder: EventRecorder
  /** Its log as far as it was read: each call reads on from there. */
  readonly plan: PlanIndex
  /** From when on it is made anew: credentials that its plugins got end. */
  readonly until: EpochMs
}

/** Keeps what ran for one deployment, for the next call of the same. */
export interface WarmCache {
  /** What was kept of the deployment; what was kept of another one is ended first. */
  readonly take: (deployment: DeploymentId) => Promise<WarmRun | undefined>
  /** Keeps it, and ends what was kept before. */
  readonly keep: (warm: WarmRun) => Promise<void>
  /** Ends what is kept. */
  readonly release: () => Promise<void>
}

/**
 * Makes the warmth of an environment. Nothing runs under an identity between calls: what is kept
 * is processes that wait to be asked.
 */
export function createWarmCache(clock: Pick<ClockPort, 'now'>): WarmCache {
  let kept: WarmRun | undefined
  const release = async (): Promise<void> => {
    const before = kept
    kept = undefined
    if (before !== undefined) await closeRunEnvironment(before.environment)
  }
  return {
    async take(deployment) {
      const found = kept
      if (found?.deployment !== deployment || found.until <= clock.now()) {
        await release()
        return undefined
      }
      kept = undefined
      return found
    },
    async keep(warm) {
      await release()
      kept = warm
    },
    release,
  }
}

/** Until when what is made now may be kept. */
export function warmExpiryOf(clock: Pick<ClockPort, 'now'>): EpochMs {
  return (clock.now() + limits.warmMs) as EpochMs
}
