import { limits } from '../../shared/config/limits.ts'
import type { ClockPort } from '../../shared/ports/system.ts'
import type { LogIndex } from '../../shared/engine/executor/log-index.ts'
import type { EventRecorder } from '../../shared/engine/events/event-recorder.ts'
import type { DeploymentId, EpochMs } from '../../shared/records/ids.ts'
import {
  type RunEnvironment,
  closeRunEnvironment,
} from '../../shared/runtime/environment/run-environment.ts'
import { type RunInput } from '../../shared/runtime/environment/run-input.ts'

/** A run environment with its configured plugins, which successive calls for a deployment share. */
export interface WarmRun {
  readonly deployment: DeploymentId
  readonly input: RunInput
  readonly environment: RunEnvironment
  readonly recorder: EventRecorder
  /** The index of the log as far as it was read. Each call continues from there. */
  readonly logIndex: LogIndex
  /** Time from which the environment is not reused. Its plugins' credentials expire soon after. */
  readonly expiresAt: EpochMs
}

/** A cache of one run environment, for the next call of the same deployment. */
export interface WarmCache {
  /**
   * Returns the cached environment of the deployment, and removes it from the cache. If the cached
   * environment has expired or belongs to another deployment, ends it and returns undefined.
   */
  readonly take: (deployment: DeploymentId) => Promise<WarmRun | undefined>
  /** Caches an environment, and ends the previously cached environment. */
  readonly keep: (warmRun: WarmRun) => Promise<void>
  /** Ends the cached environment. */
  readonly release: () => Promise<void>
}

/**
 * Creates the cache of a function environment. Callers cache a run environment only after the end
 * of its operations, so that no operation runs between calls.
 */
export function createWarmCache(clock: Pick<ClockPort, 'now'>): WarmCache {
  let cachedRun: WarmRun | undefined
  const release = async (): Promise<void> => {
    const previousRun = cachedRun
    cachedRun = undefined
    if (previousRun !== undefined) await closeRunEnvironment(previousRun.environment)
  }
  return {
    async take(deployment) {
      const run = cachedRun
      if (run?.deployment !== deployment || run.expiresAt <= clock.now()) {
        await release()
        return undefined
      }
      cachedRun = undefined
      return run
    },
    async keep(warmRun) {
      await release()
      cachedRun = warmRun
    },
    release,
  }
}

/** Returns the time at which a new environment expires in the cache. */
export function warmExpiryOf(clock: Pick<ClockPort, 'now'>): EpochMs {
  return (clock.now() + limits.idlePluginsMs) as EpochMs
}
