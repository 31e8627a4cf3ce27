import type { Urn } from '../../../names/urn.ts'
import type { CheckFailure } from '../../../providers/provider.ts'
import type { PropertyMap } from '../../../values/value.ts'
import { formatCheckFailure } from '../../check-failure-message.ts'
import type { StepEmitter } from '../../events/step-emitter.ts'

/** Tells each failed check as one error. */
export function reportCheckFailures(
  emitter: StepEmitter,
  subject: { readonly urn: Urn; readonly type: string; readonly name: string },
  failures: readonly CheckFailure[],
  inputs: PropertyMap,
): void {
  for (const failure of failures)
    emitter.report('error', formatCheckFailure(subject, failure, inputs), subject.urn)
}
