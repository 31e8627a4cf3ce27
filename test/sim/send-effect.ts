import type { FaultKind } from './faults.ts'

/** Sends an effect over the network: request and response take some time, or are lost. */
export type SendEffect = <T>(
  name: string,
  run: (call: string, kind?: FaultKind) => T | Promise<T>,
  watched?: EffectWatcher,
) => Promise<T>

/** Observes the fate of a request. */
export interface EffectWatcher {
  /** Description of the request, for the trace. */
  readonly label: string
  /** Called when it leaves the process. */
  readonly onSent: () => void
  /** Called when its sender will not receive the response. */
  readonly onOrphaned: () => void
}
