import type { EndedStep } from '../../step-end.ts'
import type { GeneratorContext } from '../context.ts'
import { createStepEndsDelta } from '../steps/step-ends-delta.ts'
import type { RecordedRegistration, Replay } from './decision-replay.ts'

/**
 * Runs a recorded chain to its end, and applies the ends to the sets. Steps that never began are
 * applied too, so that deletes which did not take place are removed from the sets.
 */
export function resumeRecorded(
  { apply }: Pick<GeneratorContext, 'apply'>,
  replay: Replay,
  registration: RecordedRegistration,
): Promise<readonly EndedStep[]> {
  return replay.resume(registration, (decidedSteps, endedSteps) =>
    apply(createStepEndsDelta(decidedSteps, endedSteps)),
  )
}
