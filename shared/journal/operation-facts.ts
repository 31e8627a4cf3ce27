import { error } from '../errors/error.ts'
import type { Head, Outcome, ViewOutcome } from '../records/head.ts'
import type { OperationId } from '../records/ids.ts'
import { isUnsent, type Operation, type StateReference } from '../records/operation.ts'
import type { StoredDeployment, StoredOperation, StoredResource } from '../state/stored.ts'
import type { FoldedDecision, FoldInput } from './fold-input.ts'

/** What became of an operation, as far as the fold may use it. */
export type OperationFact =
  | { readonly kind: 'untouched' }
  /** Begun; how it ended is not known, or may not be used yet. */
  | { readonly kind: 'open' }
  | { readonly kind: 'failed'; readonly views?: readonly ViewOutcome[] }
  /** `isWhole` false: made, but not initialised, so that nothing goes on from it. */
  | {
      readonly kind: 'done'
      readonly state: StoredResource | undefined
      readonly isWhole: boolean
      readonly views?: readonly ViewOutcome[]
    }

/** The facts of a closed set of operations, and the states that they name. */
export interface OperationFacts {
  readonly get: (operation: OperationId) => OperationFact
  /** The state that a reference names: as it was made, or as it was planned. */
  readonly stateAt: (reference: StateReference) => StoredResource | undefined
  /** Whose create an open operation is. */
  readonly originOf: (operation: OperationId) => StoredOperation['origin']
  /** Whether a later decision names the state that an operation made. */
  readonly isNamed: (operation: OperationId) => boolean
}

/**
 * What is known of each operation. An end is used only when everything that the operation waited
 * for is in hand as a success (I6): ends are read one after another while executors go on, so a
 * later one may be seen without an earlier one.
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

/** Effects that cannot be told without an outcome: what it does not hold would vanish. */
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

/** Whether an attempt may have asked the provider: it was not given back. */
function isCalled(head: Head): boolean {
  return head.attempt > head.givenBack
}

function stateOf(outcome: Outcome | undefined): StoredResource | undefined {
  if (outcome?.state === undefined && outcome?.stateBlob !== undefined)
    throw error('INTERNAL_ASSERTION', 'states in blobs are read before the fold')
  return outcome?.state
}

/**
 * The calls that were made again because an error hook wanted it. What one of them made in part
 * counts as long as no later one made anything: nothing is lost that was heard of.
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
 * The operations with an end that may not be used: something that they waited for is not in hand.
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

/** By operation: those whose old state it made. */
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
  throw error('STATE_INTEGRITY', `the base has not '${urn}' at position ${index}`, {
    details: { index, urn },
  })
}
