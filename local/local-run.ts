import type { StartedDeployment } from '../functions/step-generator/start-deployment.ts'
import type { RunEnvironment } from '../shared/runtime/environment/run-environment.ts'
import type { RunSink } from '../shared/runtime/deployment/deduplicate-events.ts'

/** One life of the generator in this process. */
export interface LocalRun {
  readonly environment: RunEnvironment
  readonly started: StartedDeployment
  /** What it tells. */
  readonly sink: RunSink
}

/** What a deployment in this process consists of. */
export interface LocalDeploymentOptions {
  readonly first: LocalRun
  readonly startedAt: number
  /** The sink of a next life. */
  readonly nextSink: () => RunSink
}
