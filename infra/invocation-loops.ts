import type { FunctionName, FunctionRow } from './function-row.ts'
import { functionsTable } from './functions-table.ts'

/**
 * Reports whether an invocation of a function can cause another invocation of the same function,
 * through queues and calls of other functions. Lambda stops such loops unless the function allows
 * them.
 */
export function canInvokeItself(name: FunctionName): boolean {
  const reachableFunctions = new Set<FunctionName>()
  const pendingFunctions = [...listInvoked(name)]
  for (;;) {
    const invoked = pendingFunctions.pop()
    if (invoked === undefined) return reachableFunctions.has(name)
    if (reachableFunctions.has(invoked)) continue
    reachableFunctions.add(invoked)
    pendingFunctions.push(...listInvoked(invoked))
  }
}

/**
 * Returns the functions that a function calls, and the consumers of the queues to which it sends.
 */
function listInvoked(name: FunctionName): readonly FunctionName[] {
  const grants = functionsTable.find(row => row.name === name)?.grants ?? {}
  const sentQueues = new Set([...(grants.sends ?? []), ...(grants.redrives ?? [])])
  const isInvoked = ({ consumes, longQueue, name: other }: FunctionRow): boolean =>
    (consumes !== undefined && sentQueues.has(consumes.queue)) ||
    // A task of the long pool runs the same handler, and can send to the same queues.
    (longQueue !== undefined && sentQueues.has(longQueue)) ||
    (grants.calls ?? []).includes(other)
  return functionsTable.filter(isInvoked).map(row => row.name)
}
