import type { StartedDeployment } from '../functions/step-generator/start-deployment.ts'
import type { RunEnvironment } from '../shared/runtime/environment/run-environment.ts'
import {
  createInlineOperations,
  type InlineOperations,
} from '../shared/runtime/executor/inline-operations.ts'
import type { RunInput } from '../shared/runtime/environment/run-input.ts'
import type { RunSink } from '../shared/runtime/deployment/deduplicate-events.ts'

/** One generator run in this process. */
export interface LocalRun {
  readonly environment: RunEnvironment
  readonly startedDeployment: StartedDeployment
  /** The operations that this run executes itself. */
  readonly inlineOperations: InlineOperations
  /** The sink for the events of this run. */
  readonly sink: RunSink
}

/** Creates a generator run with its inline operations. */
export function createLocalRun(input: RunInput, run: Omit<LocalRun, 'inlineOperations'>): LocalRun {
  const { environment, startedDeployment } = run
  const { functionLimitMs: limitMs } = input.request
  return {
    ...run,
    inlineOperations: createInlineOperations(input, environment, { ...startedDeployment, limitMs }),
  }
}

/** The first generator run of a deployment in this process, and the options of later runs. */
export interface LocalDeploymentOptions {
  readonly firstRun: LocalRun
  /** Start of the deployment in this process, on the monotonic clock, in ms. */
  readonly startedMs: number
  /** Creates a sink for the next generator run, or for separate executors. */
  readonly createNextSink: () => RunSink
}
