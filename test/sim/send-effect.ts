import type { FaultKind } from './faults.ts'

/**
 * Sends an effect over the network. Request and response take some time, or are lost. `run`
 * performs the effect when the request arrives. `call` identifies the request, and `kind` is the
 * fault that strikes it.
 */
export type SendEffect = <T>(
  name: string,
  run: (call: string, kind?: FaultKind) => T | Promise<T>,
  effectObserver?: EffectObserver,
) => Promise<T>

/** Observes the departure of a request, and the loss of its response. */
export interface EffectObserver {
  /** Description of the request, for the trace. */
  readonly label: string
  /** Called when the request leaves the process. */
  readonly onSent: () => void
  /** Called when the sender of the request will not receive the response. */
  readonly onOrphaned: () => void
}
