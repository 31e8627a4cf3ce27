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

/** The environment that the calls of one deployment share: running, configured plugins. */
export interface WarmRun {
  readonly deployment: DeploymentId
  readonly input: RunInput
  readonly environment: RunEnvironment
  readonly recorder: EventRecorder
  /** Its log as far as it was read. Each call continues from there. */
  readonly plan: PlanIndex
  /** Time from which on it is replaced, because the credentials of its plugins expire. */
  readonly until: EpochMs
}

/** Keeps the environment of one deployment for the next call of the same deployment. */
export interface WarmCache {
  /** Takes the kept environment of the deployment. One of another deployment is ended first. */
  readonly take: (deployment: DeploymentId) => Promise<WarmRun | undefined>
  /** Keeps an environment, and ends the one kept before. */
  readonly keep: (warm: WarmRun) => Promise<void>
  /** Ends the kept environment. */
  readonly release: () => Promise<void>
}

/**
 * Creates the cache of a function environment. Nothing runs under an identity between calls: only
 * idle processes are kept.
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

/** Returns the time until which a new environment may be kept. */
export function warmExpiryOf(clock: Pick<ClockPort, 'now'>): EpochMs {
  return (clock.now() + limits.warmMs) as EpochMs
}
