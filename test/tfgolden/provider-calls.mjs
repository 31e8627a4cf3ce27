/** The calls in the log of the provider. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { formatCanonical, isObject, omitNullMembers, parseGolden } from './lossless-values.mjs'

/** An apply counts as hanging when the log has not changed for this time. */
const quietMs = 700

/** The members of requests and responses that are whole objects of a resource. */
const wholeObjects = new Set([
  ...['config', 'prior_state', 'planned_state', 'proposed_new_state', 'new_state'],
  ...['current_state', 'state', 'result'],
])

/** Creates a reader of the log. Each call of `takeCalls` returns the calls since the last one. */
export function createCallLog(file) {
  let lineCount = 0
  const readLines = () =>
    existsSync(file)
      ? readFileSync(file, 'utf8')
          .split('\n')
          .filter(line => line !== '')
      : []
  return {
    /** Reports whether the provider works on an apply and does nothing else. */
    isApplyHanging() {
      const open = new Set()
      for (const entry of readLines().slice(lineCount).map(parseGolden)) {
        if (entry.rpc === 'ApplyResourceChange') open.add(entry.id)
        else if (entry.res) open.delete(entry.id)
      }
      return open.size > 0 && Date.now() - statSync(file).mtimeMs > quietMs
    },
    /** Returns the calls in the order of their beginning. `begin` and `end` are line numbers. */
    takeCalls() {
      const lines = readLines()
      const calls = new Map()
      for (const [index, line] of lines.slice(lineCount).entries()) {
        const { id, ...entry } = parseGolden(line)
        if (entry.rpc) calls.set(id, { ...entry, begin: index })
        else Object.assign(calls.get(id), { res: entry.res, end: index })
      }
      lineCount = lines.length
      return [...calls.values()]
        .sort((left, right) => left.begin - right.begin)
        .map(call => ({ ...call, req: omitNulls(call.req), res: omitNulls(call.res) }))
    },
  }
}

function omitNulls(message) {
  if (!message) return message
  const entries = Object.entries(message).map(([key, value]) => {
    const isWhole = wholeObjects.has(key) && isObject(value) && !Array.isArray(value)
    return [key, isWhole ? omitNullMembers(value) : value]
  })
  return Object.fromEntries(entries)
}

/** Merges equal calls. `times` counts them. */
export function mergeEqualCalls(calls) {
  const counted = new Map()
  for (const { begin: _begin, end: _end, ...call } of calls) {
    const key = formatCanonical(call)
    const first = counted.get(key)
    if (first === undefined) counted.set(key, call)
    else first.times = (first.times ?? 1) + 1
  }
  return [...counted.values()]
}

export const isApply = call => call.rpc === 'ApplyResourceChange'

/** Returns the operation of an apply. */
export function operationOfRequest({ req }) {
  if (req.prior_state === null) return 'create'
  return req.planned_state === null ? 'delete' : 'update'
}

/** Returns the address of the resource of a call. */
export const addressOfCall = call => `${call.type}.${call.key}`

/** Names an apply in the order of a step. */
export const formatApply = call => `${operationOfRequest(call)} ${addressOfCall(call)}`

/**
 * Lists the pairs of applies whose order binds: both concern one resource, or two that depend on
 * each other before or after the step.
 */
export function listOrderedApplies(calls, statesBefore, statesAfter) {
  const dependencies = collectDependencies([statesBefore, statesAfter])
  const applies = calls.filter(isApply)
  const isRelated = (left, right) =>
    left === right || dependsOn(dependencies, left, right) || dependsOn(dependencies, right, left)
  const pairs = applies.flatMap(first =>
    applies
      .filter(
        second =>
          first !== second &&
          first.end < second.begin &&
          isRelated(addressOfCall(first), addressOfCall(second)),
      )
      .map(second => `${formatApply(first)} < ${formatApply(second)}`),
  )
  return [...new Set(pairs)]
}

function collectDependencies(states) {
  const dependencies = new Map()
  for (const [key, state] of states.flatMap(entries => Object.entries(entries))) {
    const address = key.replace(/ .*/, '')
    const known = dependencies.get(address) ?? []
    dependencies.set(address, [...known, ...(state.dependencies ?? [])])
  }
  return dependencies
}

function dependsOn(dependencies, from, to) {
  const seen = new Set()
  const queue = [from]
  for (const address of queue)
    for (const next of dependencies.get(address) ?? []) {
      if (next === to) return true
      if (!seen.has(next)) queue.push(next)
      seen.add(next)
    }
  return false
}
