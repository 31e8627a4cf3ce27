import type { OperationState } from '../deployment/operation-row.ts'
import type { StatusDisplay } from './deployment-status.ts'

/** For each kind of operation: the word while it runs, and the word afterwards. */
const verbs: ReadonlyMap<string, readonly [running: string, done: string]> = new Map([
  ['same', ['checking', 'unchanged']],
  ['create', ['creating', 'created']],
  ['update', ['updating', 'updated']],
  ['delete', ['deleting', 'deleted']],
  ['create-replacement', ['creating replacement', 'created replacement']],
  ['delete-replaced', ['deleting replaced', 'deleted replaced']],
  ['read', ['reading', 'read']],
  ['read-replacement', ['reading replacement', 'read replacement']],
  ['refresh', ['refreshing', 'refreshed']],
  ['import', ['importing', 'imported']],
  ['import-replacement', ['importing replacement', 'imported replacement']],
  ['discard', ['discarding', 'discarded']],
  ['discard-replaced', ['discarding replaced', 'discarded replaced']],
])

/**
 * Returns the word of a step that a preview plans: `create-replacement` is `create replacement`.
 */
const plannedWordOf = (op: string): string =>
  op === 'same' ? 'unchanged' : op.replaceAll('-', ' ')

const toneOfPlan = (op: string): StatusDisplay['tone'] =>
  /delete|discard/.test(op) ? 'bad' : /update|replace/.test(op) ? 'warn' : 'good'

/**
 * Returns the status of an operation. `isEnded`: the deployment has ended, so an operation without
 * a reported end never gets one. Pure.
 */
export function operationStatusOf(
  { op, state }: { readonly op: string; readonly state: OperationState },
  isEnded: boolean,
): StatusDisplay {
  const [running, done] = verbs.get(op) ?? [op, op]
  switch (state) {
    case 'planned':
      return { text: plannedWordOf(op), tone: op === 'same' ? 'quiet' : toneOfPlan(op) }
    case 'done':
      return { text: done, tone: op === 'same' ? 'quiet' : 'good' }
    case 'failed':
      return { text: `${running} failed`, tone: 'bad' }
    case 'waiting':
      return isEnded
        ? { text: `${running}: not begun`, tone: 'warn' }
        : { text: `${running}: waiting`, tone: 'quiet' }
    case 'running':
      return isEnded
        ? { text: `${running}: not finished`, tone: 'warn' }
        : { text: running, tone: 'busy' }
  }
}
