import { createError } from '../errors/error.ts'
import type { Head, Outcome, ViewOutcome } from '../records/head.ts'
import type { OperationId } from '../records/ids.ts'
import type { Decision } from '../records/log.ts'
import { isJoinOrHook, type Operation, type StateReference } from '../records/operation.ts'
import type { StoredDeployment, StoredOperation, StoredResource } from '../state/stored.ts'
import type { FoldedDecision, FoldInput } from './fold-input.ts'

/** The status of an operation, as far as the fold may use it. */
export type OperationFact =
  | { readonly kind: 'not-begun' }
  /** The end is unknown, or the fold cannot use it yet. */
  | { readonly kind: 'begun' }
  | { readonly kind: 'failed'; readonly views?: readonly ViewOutcome[] }
  /**
   * The change took place. `isComplete` false: the resource is not initialized, so dependent
   * operations do not continue.
   */
  | {
      readonly kind: 'applied'
      readonly state: StoredResource | undefined
      readonly isComplete: boolean
      readonly views?: readonly ViewOutcome[]
    }

/** The facts of the operations in a fold, and the states that the operations reference. */
export interface OperationFacts {
  readonly get: (operation: OperationId) => OperationFact
  /**
   * Returns the referenced state: a state of the base, or the resulting state of an operation. If
   * the operation has no result or its end cannot be used, returns its planned state. Undefined if
   * the operation has neither.
   */
  readonly getState: (reference: StateReference) => StoredResource | undefined
  /**
   * Returns deployment, operation and attempt of a begun create, as its pending operation records
   * them.
   */
  readonly getOrigin: (operation: OperationId) => StoredOperation['origin']
  /** Reports whether a later decision references the resulting state of an operation. */
  readonly isReferencedLater: (operation: OperationId) => boolean
}

/**
 * Collects the facts of each operation. The end of an operation is used only when the records show
 * the success of all operations that it waited for (I6). Ends are read one after another while
 * executors continue, so the reads may contain a later end without an earlier one.
 */
export function factsOf(
  input: FoldInput,
  foldedDecisions: readonly FoldedDecision[],
): OperationFacts {
  const operations = indexOperations(foldedDecisions)
  const facts = new Map<OperationId, OperationFact>()
  for (const foldedDecision of foldedDecisions) {
    if (foldedDecision.kind === 'planned')
      facts.set(foldedDecision.operation.id, factOf(foldedDecision.operation, input))
    else if (foldedDecision.kind === 'settled')
      facts.set(foldedDecision.decision.operation.id, {
        kind: 'applied',
        state: foldedDecision.decision.state,
        isComplete: true,
      })
  }
  const retries = listRetries(input)
  failRetriedCalls(retries, facts)
  dropRepeatedViews(retries, facts)
  const retriedCalls = new Set(retries.map(({ of }) => of))
  for (const operation of findWithheldOperations(operations, facts, retriedCalls))
    facts.set(operation, { kind: 'begun' })
  const getFact = (operation: OperationId): OperationFact =>
    facts.get(operation) ?? { kind: 'not-begun' }
  const referencedIds = referencedOperationsOf(foldedDecisions, operations)
  return {
    get: getFact,
    getOrigin: operation => {
      const attempt = input.getEnd(operation)?.head.attempt
      if (attempt === undefined || input.deployment === undefined) return undefined
      return { deployment: input.deployment, operation, attempt }
    },
    isReferencedLater: operation => referencedIds.has(operation),
    getState: reference => {
      if (reference.kind === 'base') return readBaseState(input.base, reference)
      const fact = getFact(reference.operation)
      const plannedState = operations.get(reference.operation)?.state
      return fact.kind === 'applied' ? (fact.state ?? plannedState) : plannedState
    },
  }
}

function referencedOperationsOf(
  foldedDecisions: readonly FoldedDecision[],
  operations: ReadonlyMap<OperationId, Operation>,
): ReadonlySet<OperationId> {
  const referencedIds = new Set<OperationId>()
  const addReference = (reference: StateReference | undefined): void => {
    if (reference?.kind === 'operation') referencedIds.add(reference.operation)
  }
  for (const operation of operations.values()) addReference(operation.old)
  for (const foldedDecision of foldedDecisions)
    if (foldedDecision.kind === 'outputs') addReference(foldedDecision.decision.target)
  return referencedIds
}

function indexOperations(
  foldedDecisions: readonly FoldedDecision[],
): ReadonlyMap<OperationId, Operation> {
  const operations = new Map<OperationId, Operation>()
  for (const foldedDecision of foldedDecisions) {
    if (foldedDecision.kind === 'planned')
      operations.set(foldedDecision.operation.id, foldedDecision.operation)
    else if (foldedDecision.kind === 'settled')
      operations.set(foldedDecision.decision.operation.id, foldedDecision.decision.operation)
  }
  return operations
}

/** Effects that need an outcome, because only the outcome contains the new state. */
const effectsWithNewState: ReadonlySet<string> = new Set(['add', 'replace', 'add-mark', 'swap'])

function factOf(operation: Operation, input: FoldInput): OperationFact {
  const operationEnd = input.getEnd(operation.id)
  if (isJoinOrHook(operation) || operation.op === 'replace')
    return { kind: 'applied', state: undefined, isComplete: true }
  if (operationEnd === undefined) return { kind: 'not-begun' }
  const { head, outcome } = operationEnd
  const verdict = head.end?.verdict
  if (verdict === undefined) return { kind: mayHaveCalled(head) ? 'begun' : 'not-begun' }
  const views = outcome?.views === undefined ? {} : { views: outcome.views }
  if (verdict === 'failed') return { kind: 'failed', ...views }
  const isStateUnknown = outcome === undefined && effectsWithNewState.has(operation.effect)
  if (verdict === 'interrupted' || isStateUnknown) return { kind: 'begun' }
  return { kind: 'applied', state: stateOf(outcome), isComplete: verdict === 'succeeded', ...views }
}

/** Reports whether an attempt was not given back, and therefore may have called the provider. */
function mayHaveCalled(head: Head): boolean {
  return head.attempt > head.givenBack
}

function stateOf(outcome: Outcome | undefined): StoredResource | undefined {
  if (outcome?.state === undefined && outcome?.stateBlob !== undefined)
    throw createError(
      'INTERNAL_ASSERTION',
      'the fold received an outcome whose state blob is not loaded',
    )
  return outcome?.state
}

/**
 * A decision to repeat a call, because an error hook requested it. `of`: the operation whose call
 * is repeated. `operation`: the new operation that repeats the call.
 */
type Retry = Decision & { readonly kind: 'retried' }

/** Returns the retries, the newest first. */
function listRetries({ decisions }: Pick<FoldInput, 'decisions'>): readonly Retry[] {
  return [...decisions].filter(decision => decision.kind === 'retried').toReversed()
}

/**
 * Sets repeated calls to failed in `facts` if a later call has a result. Otherwise a partial result
 * still counts, so that its object is not lost. A result that the later call updates counts too.
 */
function failRetriedCalls(retries: readonly Retry[], facts: Map<OperationId, OperationFact>): void {
  const idsWithLaterResult = new Set<OperationId>()
  for (const { of, operation } of retries) {
    if (!idsWithLaterResult.has(operation.id) && facts.get(operation.id)?.kind !== 'applied')
      continue
    idsWithLaterResult.add(of)
    if (!updatesResult(operation, of)) facts.set(of, { kind: 'failed' })
  }
}

/**
 * Removes the views of a partially failed create that a completing update reports too. Otherwise
 * the state would contain these views twice.
 */
function dropRepeatedViews(
  retries: readonly Retry[],
  facts: Map<OperationId, OperationFact>,
): void {
  const viewsOf = (id: OperationId): readonly ViewOutcome[] => {
    const fact = facts.get(id)
    return fact !== undefined && 'views' in fact ? (fact.views ?? []) : []
  }
  /** By operation: the URNs of the views that later tries of its call have stored. */
  const laterUrns = new Map<OperationId, ReadonlySet<string>>()
  for (const { of, operation } of retries) {
    if (operation.completesCreate !== true) continue
    const storedViews = viewsOf(operation.id).filter(
      ({ verdict, effect }) => verdict !== 'failed' && effect !== 'none',
    )
    const urns = new Set([
      ...(laterUrns.get(operation.id) ?? []),
      ...storedViews.map(({ urn }) => urn),
    ])
    laterUrns.set(of, urns)
    const fact = facts.get(of)
    if (fact !== undefined && 'views' in fact)
      facts.set(of, { ...fact, views: viewsOf(of).filter(({ urn }) => !urns.has(urn)) })
  }
}

/** Reports whether the old state of an operation is the result of another operation. */
function updatesResult({ old }: Operation, other: OperationId): boolean {
  return old?.kind === 'operation' && old.operation === other
}

/**
 * Returns the operations with an end that cannot be used, because an operation that they waited for
 * has not succeeded.
 */
function findWithheldOperations(
  operations: ReadonlyMap<OperationId, Operation>,
  facts: ReadonlyMap<OperationId, OperationFact>,
  retriedCalls: ReadonlySet<OperationId>,
): ReadonlySet<OperationId> {
  const successors = successorsOf(operations)
  const withheldIds = new Set<OperationId>()
  const unusableIds: OperationId[] = []
  const withhold = (ids: readonly OperationId[]): void => {
    for (const id of ids) {
      if (withheldIds.has(id) || facts.get(id)?.kind !== 'applied') continue
      withheldIds.add(id)
      unusableIds.push(id)
    }
  }
  for (const [id, fact] of facts) {
    if (retriedCalls.has(id)) {
      // The retry has the same `releases`, so only its own end decides which of them are withheld.
      if (fact.kind !== 'applied') withhold(successors.get(id) ?? [])
      continue
    }
    if (fact.kind !== 'applied') unusableIds.push(id)
    else if (!fact.isComplete) withhold(operations.get(id)?.releases ?? [])
  }
  for (let id = unusableIds.pop(); id !== undefined; id = unusableIds.pop()) {
    withhold(operations.get(id)?.releases ?? [])
    withhold(successors.get(id) ?? [])
  }
  return withheldIds
}

/** Returns the successors of each operation: the operations whose old state is its result. */
function successorsOf(
  operations: ReadonlyMap<OperationId, Operation>,
): ReadonlyMap<OperationId, readonly OperationId[]> {
  const successors = new Map<OperationId, OperationId[]>()
  for (const { id, old } of operations.values()) {
    if (old?.kind !== 'operation') continue
    const successorIds = successors.get(old.operation) ?? []
    successors.set(old.operation, successorIds)
    successorIds.push(id)
  }
  return successors
}

function readBaseState(
  base: StoredDeployment,
  { index, urn }: { readonly index: number; readonly urn: string },
): StoredResource {
  const state = base.resources?.[index]
  if (state !== undefined && state.urn === urn) return state
  throw createError('STATE_INTEGRITY', `position ${index} of the base does not hold '${urn}'`, {
    details: { index, urn },
  })
}
