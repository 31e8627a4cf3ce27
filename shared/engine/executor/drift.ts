import type { DiffResult, PropertyDiff } from '../../providers/provider.ts'
import { diffInputs } from '../../values/diff.ts'
import type { PropertyMap } from '../../values/value.ts'
import type { StepReason } from '../step.ts'

/** The difference of a read state from the recorded one, and the reason to report. */
export interface Drift {
  readonly hasDrifted: boolean
  readonly reason: StepReason
}

/**
 * Returns the drift for a diff of the read state against the program's inputs. The diff is
 * inverted, because the read state is the newer one. If the provider cannot tell the difference,
 * the inputs of the read state (`actual`) and `programInputs` are compared. Source:
 * docs/spec/step-execution.md#refresh-step.
 */
export function driftOf(
  diff: Pick<DiffResult, 'changes' | 'changedKeys' | 'detailedDiff'>,
  { actual, programInputs }: { readonly actual: PropertyMap; readonly programInputs: PropertyMap },
): Drift {
  if (diff.changes !== 'unknown')
    return { hasDrifted: diff.changes === 'some', reason: invertedReasonOf(diff) }
  const difference = diffInputs(actual, programInputs)
  if (difference === undefined) return { hasDrifted: false, reason: invertedReasonOf(diff) }
  return { hasDrifted: true, reason: invertedReasonOf(difference) }
}

function invertedReasonOf({
  changedKeys: diffs,
  detailedDiff,
}: {
  readonly changedKeys: readonly string[]
  readonly detailedDiff: ReadonlyMap<string, PropertyDiff> | null
}): StepReason {
  const invertedDiff =
    detailedDiff === null
      ? null
      : new Map(
          [...detailedDiff].map(([path, { kind, inputDiff }]) => [
            path,
            { kind: opposites[kind], inputDiff },
          ]),
        )
  return { keys: [], diffs, detailedDiff: invertedDiff }
}

const opposites = {
  add: 'delete',
  'add-replace': 'delete-replace',
  delete: 'add',
  'delete-replace': 'add-replace',
  update: 'update',
  'update-replace': 'update-replace',
} as const satisfies Record<PropertyDiff['kind'], PropertyDiff['kind']>
