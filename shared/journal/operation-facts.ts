import { error } from '../errors/error.ts'
import type { Head, Outcome, ViewOutcome } from '../records/head.ts'
import type { OperationId } from '../records/ids.ts'
import { isUnsent, type Operation, type StateReference } from '../records/operation.ts'
import type { StoredDeployment, StoredOperation, StoredResource } from '../state/stored.ts'
import type { FoldedDecision, FoldInput } from './fold-input.ts'

/** The status of an operation, as far as the fold may use it. */
export type OperationFact =
  | { readonly kind: 'untouched' }
  /** Begun; the end is unknown or cannot be used yet. */
  | { readonly kind: 'open' }
  | { readonly kind: 'failed'; readonly views?: readonly ViewOutcome[] }
  /** `isWhole` false: created but not initialized, so dependent operations do not continue. */
  | {
      readonly kind: 'done'
      readonly state: StoredResource | undefined
      readonly isWhole: boolean
      readonly views?: readonly ViewOutcome[]
    }

/** The facts of a closed set of operations, and the states that they reference. */
export interface OperationFacts {
  readonly get: (operation: OperationId) => OperationFact
  /** Returns the state of a reference: the created state, or else the planned one. */
  readonly stateAt: (reference: StateReference) => StoredResource | undefined
  /** Returns the attempt to which an open create belongs. */
  readonly originOf: (operation: OperationId) => StoredOperation['origin']
  /** Reports whether a later decision references the state that an operation created. */
  readonly isNamed: (operation: OperationId) => boolean
}

/**
 * Collects the facts of each operation. An end is used only when everything it waited for is known
 * to have succeeded (I6). Ends are read one after another while executors continue, so a read may
 * see a later end without an earlier one.
 */
export function factsOf(input: FoldInput, folded: readonly FoldedDecision[]): OperationFacts {
  const operations = operationsOf(folded)
  const facts = new Map<OperationId, OperationFact>()
  for (const item of folded) {
    if (item.kind === 'executed') facts.set(item.operation.id, factOf(item.operation, input))
    else if (item.kind === 'settled')
      facts.set(item.decision.operation.id, {
        kind: 'done',
        state: item.decision.state,
        isWhole: true,
      })
  }
  const superseded = findSuperseded(input, facts)
  for (const operation of findWithheld(operations, facts, superseded))
    facts.set(operation, { kind: 'open' })
  const getFact = (operation: OperationId): OperationFact =>
    facts.get(operation) ?? { kind: 'untouched' }
  const named = namedOperationsOf(folded, operations)
  return {
    get: getFact,
    originOf: operation => {
      const attempt = input.getEnd(operation)?.head.attempt
      if (attempt === undefined || input.deployment === undefined) return undefined
      return { deployment: input.deployment, operation, attempt }
    },
    isNamed: operation => named.has(operation),
    stateAt: reference => {
      if (reference.kind === 'base') return readBaseState(input.base, reference)
      const fact = getFact(reference.operation)
      const planned = operations.get(reference.operation)?.state
      return fact.kind === 'done' ? (fact.state ?? planned) : planned
    },
  }
}

function namedOperationsOf(
  folded: readonly FoldedDecision[],
  operations: ReadonlyMap<OperationId, Operation>,
): ReadonlySet<OperationId> {
  const named = new Set<OperationId>()
  const addReference = (reference: StateReference | undefined): void => {
    if (reference?.kind === 'operation') named.add(reference.operation)
  }
  for (const operation of operations.values()) addReference(operation.old)
  for (const item of folded) if (item.kind === 'outputs') addReference(item.decision.target)
  return named
}

function operationsOf(folded: readonly FoldedDecision[]): ReadonlyMap<OperationId, Operation> {
  const operations = new Map<OperationId, Operation>()
  for (const item of folded) {
    if (item.kind === 'executed') operations.set(item.operation.id, item.operation)
    else if (item.kind === 'settled')
      operations.set(item.decision.operation.id, item.decision.operation)
  }
  return operations
}

/** Effects that need an outcome: without it, the created state would be lost. */
const makingEffects: ReadonlySet<string> = new Set(['add', 'replace', 'add-mark', 'swap'])

function factOf(operation: Operation, input: FoldInput): OperationFact {
  const found = input.getEnd(operation.id)
  if (isUnsent(operation) || operation.op === 'replace')
    return { kind: 'done', state: undefined, isWhole: true }
  if (found === undefined) return { kind: 'untouched' }
  const { head, outcome } = found
  const verdict = head.end?.verdict
  if (verdict === undefined) return { kind: isCalled(head) ? 'open' : 'untouched' }
  const views = outcome?.views === undefined ? {} : { views: outcome.views }
  if (verdict === 'failed') return { kind: 'failed', ...views }
  const isUnknown = outcome === undefined && makingEffects.has(operation.effect)
  if (verdict === 'interrupted' || isUnknown) return { kind: 'open' }
  return { kind: 'done', state: stateOf(outcome), isWhole: verdict === 'succeeded', ...views }
}

/** Reports whether an attempt that was not given back may have called the provider. */
function isCalled(head: Head): boolean {
  return head.attempt > head.givenBack
}

function stateOf(outcome: Outcome | undefined): StoredResource | undefined {
  if (outcome?.state === undefined && outcome?.stateBlob !== undefined)
    throw error('INTERNAL_ASSERTION', 'states in blobs are loaded before the fold')
  return outcome?.state
}

/**
 * Returns the calls that error hooks repeated. The partial result of a call counts as long as no
 * later call created anything, so no known object is lost.
 */
function findSuperseded(
  { decisions }: Pick<FoldInput, 'decisions'>,
  facts: Map<OperationId, OperationFact>,
): ReadonlySet<OperationId> {
  const tries = [...decisions].filter(decision => decision.kind === 'retried').toReversed()
  const isMadeLater = new Set<OperationId>()
  for (const { of, operation } of tries) {
    if (!isMadeLater.has(operation.id) && facts.get(operation.id)?.kind !== 'done') continue
    isMadeLater.add(of)
    facts.set(of, { kind: 'failed' })
  }
  return new Set(tries.map(({ of }) => of))
}

/**
 * Returns the operations with an end that cannot be used, because something that they waited for is
 * missing.
 */
function findWithheld(
  operations: ReadonlyMap<OperationId, Operation>,
  facts: ReadonlyMap<OperationId, OperationFact>,
  superseded: ReadonlySet<OperationId>,
): ReadonlySet<OperationId> {
  const heirs = successorsOf(operations)
  const found = new Set<OperationId>()
  const lacking: OperationId[] = []
  const withhold = (ids: readonly OperationId[]): void => {
    for (const id of ids) {
      if (found.has(id) || facts.get(id)?.kind !== 'done') continue
      found.add(id)
      lacking.push(id)
    }
  }
  for (const [id, fact] of facts) {
    if (superseded.has(id)) continue
    if (fact.kind !== 'done') lacking.push(id)
    else if (!fact.isWhole) withhold(operations.get(id)?.releases ?? [])
  }
  for (let id = lacking.pop(); id !== undefined; id = lacking.pop()) {
    withhold(operations.get(id)?.releases ?? [])
    withhold(heirs.get(id) ?? [])
  }
  return found
}

/** Returns, for each operation, the operations whose old state it created. */
function successorsOf(
  operations: ReadonlyMap<OperationId, Operation>,
): ReadonlyMap<OperationId, readonly OperationId[]> {
  const heirs = new Map<OperationId, OperationId[]>()
  for (const { id, old } of operations.values()) {
    if (old?.kind !== 'operation') continue
    const list = heirs.get(old.operation) ?? []
    heirs.set(old.operation, list)
    list.push(id)
  }
  return heirs
}

function readBaseState(
  base: StoredDeployment,
  { index, urn }: { readonly index: number; readonly urn: string },
): StoredResource {
  const state = base.resources?.[index]
  if (state !== undefined && state.urn === urn) return state
  throw error('STATE_INTEGRITY', `position ${index} of the base does not hold '${urn}'`, {
    details: { index, urn },
  })
}
