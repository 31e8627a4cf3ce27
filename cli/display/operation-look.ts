import type { StepOp } from '../../shared/records/operation.ts'
import type { Colour } from './paint.ts'

/** How a kind of step looks: its mark (Pulumi's), its colour, and its words. */
export interface OperationLook {
  /** Two columns wide. Source: Pulumi `pkg/resource/deploy/step.go`, `RawPrefix`. */
  readonly mark: string
  readonly colour: Colour
  readonly running: string
  readonly done: string
  /** After "to": what a preview says. */
  readonly planned: string
}

const looks: Readonly<Record<StepOp, OperationLook>> = {
  same: look('  ', 'plain', ['checking', 'unchanged', 'keep']),
  create: look('+ ', 'green', ['creating', 'created', 'create']),
  update: look('~ ', 'yellow', ['updating', 'updated', 'update']),
  delete: look('- ', 'red', ['deleting', 'deleted', 'delete']),
  replace: look('+-', 'magenta', ['replacing', 'replaced', 'replace']),
  'create-replacement': look('++', 'green', [
    'creating replacement',
    'created replacement',
    'create replacement',
  ]),
  'delete-replaced': look('--', 'red', [
    'deleting original',
    'deleted original',
    'delete original',
  ]),
  read: look('> ', 'cyan', ['reading', 'read', 'read']),
  'read-replacement': look('>>', 'magenta', [
    'reading replacement',
    'read replacement',
    'read replacement',
  ]),
  import: look('= ', 'green', ['importing', 'imported', 'import']),
  'import-replacement': look('=>', 'magenta', [
    'importing replacement',
    'imported replacement',
    'import replacement',
  ]),
  refresh: look('~ ', 'yellow', ['refreshing', 'refreshed', 'refresh']),
  discard: look('< ', 'red', ['discarding', 'discarded', 'discard']),
  'discard-replaced': look('<<', 'red', [
    'discarding original',
    'discarded original',
    'discard original',
  ]),
  'remove-pending-replace': look('~ ', 'plain', ['completing', 'completed', 'complete']),
  join: look('  ', 'plain', ['waiting', 'waited', 'wait']),
  hook: look('  ', 'plain', ['calling', 'called', 'call']),
}

/** The look of a step of this kind. */
export function lookOf(op: StepOp): OperationLook {
  return looks[op]
}

/** Whether a key of a summary, which is outside data, is a kind of step that has a look. */
export function isStepOp(text: string): text is StepOp {
  return Object.hasOwn(looks, text)
}

/** Kinds of step in the order in which a summary lists them. */
export const summaryOrder: readonly string[] = Object.keys(looks)

function look(
  mark: string,
  colour: Colour,
  [running, done, planned]: readonly [string, string, string],
): OperationLook {
  return { mark, colour, running, done, planned }
}
