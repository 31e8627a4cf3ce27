import type { Assumptions } from './assumptions.ts'
import type { PlannedCommand } from './coefficients.ts'
import type { WaveGroup } from './shapes.ts'

/** The deployment that a plan is for. */
export interface PlannedDeployment {
  readonly command: PlannedCommand
  readonly resources: number
  readonly waves: readonly WaveGroup[]
  /** Duration of one provider call, in s. */
  readonly callSeconds: number
  /** The option `--parallel`. */
  readonly parallel: number
  /** The setting of the installation with this name. */
  readonly executorsMax: number
}

/** Requests to the store of one operation, one after another: begin, control read, outcome, end. */
const storeRequestsPerOperation = 4

/** Returns how long one operation occupies its slot: the provider call and the store requests. */
export function operationSecondsOf(
  { callSeconds }: PlannedDeployment,
  { storeLatency }: Assumptions,
): number {
  return callSeconds + storeRequestsPerOperation * storeLatency.value
}
