import type { Urn } from '../../names/urn.ts'
import type { OperationId } from '../../records/ids.ts'
import type { Decision, Phase } from '../../records/log.ts'
import type { Operation, StateReference } from '../../records/operation.ts'
import type { StoredResource } from '../../state/stored.ts'
import type { LogView } from './log-view.ts'

/** One kind of decision. */
type Of<K extends Decision['kind']> = Decision & { readonly kind: K }

/** The recorded answer to a call of the program. */
export type RecordedAnswer = Of<'answered'>

/** Everything that was decided about one URN, in order. */
export type RecordedDecision = Of<'registration'> | Of<'settled'>

/** What earlier lives of a deployment decided since its last pin, by what it is looked up with. */
export interface Recorded {
  /** In the order of the log. */
  readonly decisions: readonly RecordedDecision[]
  readonly of: (urn: Urn) => readonly RecordedDecision[]
  /** The outputs that were registered last for a state. */
  readonly outputsOf: (target: StateReference) => StoredResource | undefined
  /** The answer to the call of a key before which the program had made `at` others. */
  readonly answer: (key: string, at: number) => RecordedAnswer | undefined
  readonly plan: (what: Of<'plan'>['what']) => readonly Operation[] | undefined
  readonly hasPassed: (phase: Phase) => boolean
  /** The extensions whose records stand. */
  readonly extensions: ReadonlySet<string>
  readonly programEnded: Of<'program-ended'> | undefined
  /** What a hook operation came to. */
  readonly hooked: (operation: OperationId) => Of<'hooked'> | undefined
  /** What hooks of a resource came to that the generator settles. */
  readonly hookedAt: (urn: Urn, hook: string) => Of<'hooked'> | undefined
  /** The operation that took the place of a failed one. */
  readonly retried: (operation: OperationId) => Operation | undefined
}

/** Reads a log as what a new life has to know of the ones before. */
export function recordedOf(view: LogView): Recorded {
  const since = view.pin === undefined ? 0 : view.decisions.lastIndexOf(view.pin) + 1
  const decisions = view.decisions.slice(since)
  const byUrn = new Map<Urn, RecordedDecision[]>()
  const outputs = new Map<string, StoredResource>()
  const answers = new Map<string, RecordedAnswer[]>()
  const plans = new Map<string, readonly Operation[]>()
  const phases = new Set<Phase>()
  const extensions = new Set<string>()
  let programEnded: Of<'program-ended'> | undefined
  const hooked = new Map<OperationId | string, Of<'hooked'>>()
  const retried = new Map<OperationId, Operation>()
  for (const decision of decisions) {
    if (decision.kind === 'registration') push(byUrn, decision.urn, decision)
    else if (decision.kind === 'settled') push(byUrn, decision.operation.urn, decision)
    else if (decision.kind === 'outputs') outputs.set(keyOf(decision.target), decision.state)
    else if (decision.kind === 'answered') push(answers, decision.key, decision)
    else if (decision.kind === 'phase') phases.add(decision.phase)
    else if (decision.kind === 'extension') extensions.add(decision.ref)
    else if (decision.kind === 'program-ended') programEnded = decision
    else if (decision.kind === 'retried') retried.set(decision.of, decision.operation)
    else if (decision.kind === 'hooked')
      hooked.set(decision.operation ?? `${decision.hook} ${decision.urn}`, decision)
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
    of: urn => byUrn.get(urn) ?? [],
    outputsOf: target => outputs.get(keyOf(target)),
    answer: (key, at) => answers.get(key)?.find((one, place) => (one.at ?? place) === at),
    plan: what => plans.get(what),
    hasPassed: phase => phases.has(phase),
    extensions,
    programEnded,
    hooked: operation => hooked.get(operation),
    hookedAt: (urn, hook) => hooked.get(`${hook} ${urn}`),
    retried: operation => retried.get(operation),
  }
}

/** The last of the operations that took each other's place, from one of them on. */
export function lastTry({ retried }: Pick<Recorded, 'retried'>, id: OperationId): OperationId {
  let last = id
  for (let next = retried(last); next !== undefined; next = retried(last)) last = next.id
  return last
}

/** The highest operation id that a log has, 0 when it has none. */
export function lastOperation(view: LogView): number {
  let last = 0
  for (const decision of view.decisions) {
    if (decision.kind === 'outputs') last = Math.max(last, decision.operation)
    for (const { id } of operationsIn(decision, view)) last = Math.max(last, id)
  }
  return last
}

function operationsIn(decision: Decision, view: LogView): readonly Operation[] {
  if (decision.kind === 'registration') return decision.operations
  if (decision.kind === 'settled' || decision.kind === 'retried') return [decision.operation]
  if (decision.kind === 'plan') return decision.pages.flatMap(hash => view.pages.get(hash) ?? [])
  return []
}

function keyOf(reference: StateReference): string {
  return reference.kind === 'base' ? `base ${reference.index}` : `operation ${reference.operation}`
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else list.push(value)
}
