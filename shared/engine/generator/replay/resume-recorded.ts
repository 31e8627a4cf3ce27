import type { EndedStep } from '../../step-end.ts'
import type { GeneratorContext } from '../context.ts'
import { createStepEndsDelta } from '../steps/step-ends-delta.ts'
import type { RecordedRegistration, Replay } from './replay.ts'

/**
 * Runs a recorded chain to its end, and applies the ends to the sets. Steps that never began count
 * too: a delete that did not take place must not stay in the sets.
 */
export function resumeRecorded(
  { apply }: Pick<GeneratorContext, 'apply'>,
  replay: Replay,
  registration: RecordedRegistration,
): Promise<readonly EndedStep[]> {
  return replay.resume(registration, (decided, ended) => apply(createStepEndsDelta(decided, ended)))
}
