import type { StepOp } from '../../shared/records/operation.ts'
import type { Style } from './paint.ts'

/** How an operation reads: its symbol, colour, and verb in every stage. */
export interface OperationWords {
  readonly symbol: string
  readonly style: Style
  /** What a preview says will happen. */
  readonly plan: string
  readonly running: string
  readonly done: string
}

const words: Readonly<Record<StepOp, OperationWords>> = {
  same: row('', 'quiet', ['same', 'checking', 'unchanged']),
  create: row('+', 'add', ['create', 'creating', 'created']),
  update: row('~', 'change', ['update', 'updating', 'updated']),
  delete: row('-', 'remove', ['delete', 'deleting', 'deleted']),
  replace: row('+-', 'replace', ['replace', 'replacing', 'replaced']),
  'create-replacement': row('++', 'add', [
    'create replacement',
    'creating replacement',
    'created replacement',
  ]),
  'delete-replaced': row('--', 'remove', [
    'delete original',
    'deleting original',
    'deleted original',
  ]),
  read: row('>', 'read', ['read', 'reading', 'read']),
  'read-replacement': row('>>', 'replace', [
    'read for replacement',
    'reading for replacement',
    'read for replacement',
  ]),
  refresh: row('~', 'change', ['refresh', 'refreshing', 'refreshed']),
  discard: row('<', 'remove', ['discard', 'discarding', 'discarded']),
  'discard-replaced': row('<<', 'remove', [
    'discard original',
    'discarding original',
    'discarded original',
  ]),
  'remove-pending-replace': row('~', 'quiet', ['forget', 'forgetting', 'forgotten']),
  join: row('', 'quiet', ['join', 'joining', 'joined']),
}

/** The words of an operation. */
export function wordsOf(op: StepOp): OperationWords {
  return words[op]
}

/** The words of an operation by the name that summaries use; undefined for a name not known here. */
export function wordsOfName(name: string): OperationWords | undefined {
  return isStepOp(name) ? words[name] : undefined
}

/** Every operation in the order in which summaries name them. */
export const summaryOrder: readonly StepOp[] = [
  'create',
  'update',
  'delete',
  'replace',
  'create-replacement',
  'delete-replaced',
  'read',
  'read-replacement',
  'refresh',
  'discard',
  'discard-replaced',
]

function isStepOp(name: string): name is StepOp {
  return Object.hasOwn(words, name)
}

function row(
  symbol: string,
  style: Style,
  [plan, running, done]: readonly [string, string, string],
): OperationWords {
  return { symbol, style, plan, running, done }
}
