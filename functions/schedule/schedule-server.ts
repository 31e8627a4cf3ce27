import type { TriggerPorts } from '../../shared/ports/documents.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import type { DeploymentOptions } from '../../shared/records/log.ts'

/** The dependencies of running schedules. */
export interface ScheduleServer extends Pick<TriggerPorts, 'documents' | 'marks'> {
  readonly requests: Pick<Platform['requests'], 'put' | 'listWaiting'>
  readonly catalog: Pick<Platform['catalog'], 'getStack' | 'listStacks'>
  readonly nudges: Pick<Platform['nudges'], 'nudge'>
  readonly clock: Pick<Platform['clock'], 'now'>
  readonly logger: Platform['logger']
  /** The processes that run the requested operations. */
  readonly execute: DeploymentOptions['execute']
  /** Whether another service applies the jitter already; see `ScheduleRunDeps`. */
  readonly hasExternalJitter?: boolean
}
