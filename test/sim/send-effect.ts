import type { FaultKind } from './faults.ts'

/** Carries an effect over the network: there after a while, back after another, or not. */
export type SendEffect = <T>(
  name: string,
  run: (call: string, kind?: FaultKind) => T | Promise<T>,
  watched?: EffectWatcher,
) => Promise<T>

/** Whoever wants to know what becomes of a request. */
export interface EffectWatcher {
  /** What it is about, for the trace. */
  readonly label: string
  /** It leaves the process. */
  readonly onSent: () => void
  /** Its sender will not hear what came of it. */
  readonly onOrphaned: () => void
}
