import type { OperationsPort } from '../../../ports/records.ts'
import { toItem } from './table/item.ts'
import { commonAssignments, type HeadDeps, writeHead } from './write-head.ts'

/**
 * Creates the begin of operations: one conditional update of the head. The update is refused if the
 * operation has ended or has another owner, or if an arrival that it needs is missing. It is also
 * refused if `expectedAttempt` is not the operation's last attempt.
 */
export function createBegin(deps: HeadDeps): OperationsPort['begin'] {
  return async (deployment, operation, beginRequest) => {
    const { owner, executor, expectedAttempt: attempt, needs } = beginRequest
    const { isDone, head } = await writeHead(deps, {
      event: 'begin',
      deployment,
      operation,
      owner,
      attempt,
      needs,
      updateExpression: `${commonAssignments}, #owner = :owner, #executor = :executor ADD #attempt :one, #called :one`,
      values: toItem({ executor }),
      isOwnWrite: (_, head) => head.owner === owner && head.attempt === attempt + 1,
    })
    return isDone ? { kind: 'begun', attempt: attempt + 1 } : { kind: 'refused', head }
  }
}
