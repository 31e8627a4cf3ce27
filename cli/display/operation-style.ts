import type { StepOp } from '../../shared/records/operation.ts'
import type { Color } from './paint.ts'

/** The style of a kind of step: Pulumi's mark for it, its color, and its verb in three forms. */
export interface OperationStyle {
  /** Two columns wide. Source: `RawPrefix` in pkg/resource/deploy/step.go of Pulumi 3.274.1. */
  readonly mark: string
  readonly color: Color
  readonly runningText: string
  readonly doneText: string
  /** The verb after "to" in a preview. */
  readonly plannedText: string
}

const styles: Readonly<Record<StepOp, OperationStyle>> = {
  same: createStyle('  ', 'plain', ['checking', 'unchanged', 'keep']),
  create: createStyle('+ ', 'green', ['creating', 'created', 'create']),
  update: createStyle('~ ', 'yellow', ['updating', 'updated', 'update']),
  delete: createStyle('- ', 'red', ['deleting', 'deleted', 'delete']),
  replace: createStyle('+-', 'magenta', ['replacing', 'replaced', 'replace']),
  'create-replacement': createStyle('++', 'green', [
    'creating replacement',
    'created replacement',
    'create replacement',
  ]),
  'delete-replaced': createStyle('--', 'red', [
    'deleting original',
    'deleted original',
    'delete original',
  ]),
  read: createStyle('> ', 'cyan', ['reading', 'read', 'read']),
  'read-replacement': createStyle('>>', 'magenta', [
    'reading replacement',
    'read replacement',
    'read replacement',
  ]),
  import: createStyle('= ', 'green', ['importing', 'imported', 'import']),
  'import-replacement': createStyle('=>', 'magenta', [
    'importing replacement',
    'imported replacement',
    'import replacement',
  ]),
  refresh: createStyle('~ ', 'yellow', ['refreshing', 'refreshed', 'refresh']),
  discard: createStyle('< ', 'red', ['discarding', 'discarded', 'discard']),
  'discard-replaced': createStyle('<<', 'red', [
    'discarding original',
    'discarded original',
    'discard original',
  ]),
  'remove-pending-replace': createStyle('~ ', 'plain', ['completing', 'completed', 'complete']),
  join: createStyle('  ', 'plain', ['waiting', 'waited', 'wait']),
  hook: createStyle('  ', 'plain', ['calling', 'called', 'call']),
}

/** Returns the style of a kind of step. */
export function styleOf(op: StepOp): OperationStyle {
  return styles[op]
}

/** Reports whether a text is a known kind of step. A newer API may send kinds that are unknown. */
export function isStepOp(text: string): text is StepOp {
  return Object.hasOwn(styles, text)
}

/** The kinds of steps in the order of a summary. */
export const summaryOrder: readonly string[] = Object.keys(styles)

function createStyle(
  mark: string,
  color: Color,
  [runningText, doneText, plannedText]: readonly [string, string, string],
): OperationStyle {
  return { mark, color, runningText, doneText, plannedText }
}
