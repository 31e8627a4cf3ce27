import type { Urn } from '../../../names/urn.ts'
import type { OperationId } from '../../../records/ids.ts'
import type { Decision, Phase } from '../../../records/log.ts'
import type { Operation, StateReference } from '../../../records/operation.ts'
import type { StoredResource } from '../../../state/stored.ts'
import type { LogView } from './log-view.ts'

/** One kind of decision. */
type DecisionOf<K extends Decision['kind']> = Decision & { readonly kind: K }

/** The recorded result of a function or method call of the program. */
export type RecordedAnswer = DecisionOf<'answered'>

/** A decision about one URN. */
export type RecordedDecision = DecisionOf<'registration'> | DecisionOf<'settled'>

/**
 * The decisions of earlier generator runs since the last pin, with their lookups. A lookup returns
 * undefined if there is no such decision.
 */
export interface DecisionIndex {
  /** In the order of the log. */
  readonly decisions: readonly RecordedDecision[]
  readonly decisionsOf: (urn: Urn) => readonly RecordedDecision[]
  /** Returns the state `target` with the outputs that the program last registered for it. */
  readonly outputsOf: (target: StateReference) => StoredResource | undefined
  /**
   * Returns the result of the call with a key. `callIndex`: the number of earlier calls with the
   * same key.
   */
  readonly answerOf: (key: string, callIndex: number) => RecordedAnswer | undefined
  readonly planOf: (kind: DecisionOf<'plan'>['what']) => readonly Operation[] | undefined
  /** Reports whether the deployment entered a phase. */
  readonly hasEntered: (phase: Phase) => boolean
  /** The references of the recorded extensions, in the form that states use. */
  readonly extensions: ReadonlySet<string>
  readonly programEnd: DecisionOf<'program-ended'> | undefined
  /** Returns the result of a hook operation. */
  readonly hookResultOf: (operation: OperationId) => DecisionOf<'hooked'> | undefined
  /** Returns the result of hooks on a resource that the generator settles itself. */
  readonly settledHookResultOf: (urn: Urn, hook: string) => DecisionOf<'hooked'> | undefined
  /** Returns the operation that retries a failed operation. */
  readonly retryOf: (operation: OperationId) => Operation | undefined
}

/** Indexes the decisions of a log for a new generator run. */
export function createDecisionIndex(view: LogView): DecisionIndex {
  const firstIndex = view.pin === undefined ? 0 : view.decisions.lastIndexOf(view.pin) + 1
  const decisions = view.decisions.slice(firstIndex)
  const decisionsByUrn = new Map<Urn, RecordedDecision[]>()
  const outputs = new Map<string, StoredResource>()
  const answers = new Map<string, RecordedAnswer[]>()
  const plans = new Map<string, readonly Operation[]>()
  const phases = new Set<Phase>()
  const extensions = new Set<string>()
  let programEnd: DecisionOf<'program-ended'> | undefined
  /** By the operation of the hook, or by hook type and URN for a settled resource. */
  const hookResults = new Map<OperationId | string, DecisionOf<'hooked'>>()
  const retries = new Map<OperationId, Operation>()
  for (const decision of decisions) {
    if (decision.kind === 'registration') appendTo(decisionsByUrn, decision.urn, decision)
    else if (decision.kind === 'settled') appendTo(decisionsByUrn, decision.operation.urn, decision)
    else if (decision.kind === 'outputs')
      outputs.set(referenceKeyOf(decision.target), decision.state)
    else if (decision.kind === 'answered') appendTo(answers, decision.key, decision)
    else if (decision.kind === 'phase') phases.add(decision.phase)
    else if (decision.kind === 'extension') extensions.add(decision.ref)
    else if (decision.kind === 'program-ended') programEnd = decision
    else if (decision.kind === 'retried') retries.set(decision.of, decision.operation)
    else if (decision.kind === 'hooked')
      hookResults.set(decision.operation ?? `${decision.hook} ${decision.urn}`, decision)
    else if (decision.kind === 'plan')
      plans.set(
        decision.what,
        decision.pages.flatMap(hash => view.pages.get(hash) ?? []),
      )
  }
  return {
    decisions: decisions.filter(
      decision => decision.kind === 'registration' || decision.kind === 'settled',
    ),
    decisionsOf: urn => decisionsByUrn.get(urn) ?? [],
    outputsOf: target => outputs.get(referenceKeyOf(target)),
    // In records of older versions, which have no `at`, the order gives the number of the call.
    answerOf: (key, callIndex) =>
      answers.get(key)?.find((answer, index) => (answer.at ?? index) === callIndex),
    planOf: kind => plans.get(kind),
    hasEntered: phase => phases.has(phase),
    extensions,
    programEnd,
    hookResultOf: operation => hookResults.get(operation),
    settledHookResultOf: (urn, hook) => hookResults.get(`${hook} ${urn}`),
    retryOf: operation => retries.get(operation),
  }
}

/** Returns the last operation in the series of retries that begins with an operation. */
export function lastRetryOf(
  { retryOf }: Pick<DecisionIndex, 'retryOf'>,
  id: OperationId,
): OperationId {
  let lastId = id
  for (let retry = retryOf(lastId); retry !== undefined; retry = retryOf(lastId)) lastId = retry.id
  return lastId
}

/** Returns the highest operation id in a log. Returns 0 if it has no operations. */
export function lastOperationIdOf(view: LogView): number {
  let lastId = 0
  for (const decision of view.decisions) {
    if (decision.kind === 'outputs') lastId = Math.max(lastId, decision.operation)
    for (const { id } of decidedOperationsOf(decision, view)) lastId = Math.max(lastId, id)
  }
  return lastId
}

function decidedOperationsOf(decision: Decision, view: LogView): readonly Operation[] {
  if (decision.kind === 'registration') return decision.operations
  if (decision.kind === 'settled' || decision.kind === 'retried') return [decision.operation]
  if (decision.kind === 'plan') return decision.pages.flatMap(hash => view.pages.get(hash) ?? [])
  return []
}

function referenceKeyOf(reference: StateReference): string {
  return reference.kind === 'base' ? `base ${reference.index}` : `operation ${reference.operation}`
}

function appendTo<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else list.push(value)
}
