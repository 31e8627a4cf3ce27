import type { OperationsPort } from '../../ports/records.ts'
import type { OperationId } from '../../records/ids.ts'
import { isUnsent } from '../../records/operation.ts'
import { error } from '../../errors/error.ts'
import type { Base } from '../deployment/base.ts'
import { type ChainDeps, isWhole, runChain, trackedBy } from '../deployment/chain-run.ts'
import type { RecordedEnd } from '../deployment/end-watcher.ts'
import { stepOfOperation } from '../deployment/operations.ts'
import { stepEndOf } from '../deployment/recorded-end.ts'
import { lastTry, type Recorded } from '../deployment/recorded.ts'
import { tellReplaces } from '../events/replaces.ts'
import { isImport, type TrackedState } from '../step.ts'
import type { EndedStep } from '../step-end.ts'
import {
  isRefresh,
  type RecordedRegistration,
  type RecordedSettled,
  type Replay,
} from './replay.ts'

/** What a replay over the records needs. `before`: the ends that stood when this life began. */
export interface ReplayDeps extends ChainDeps {
  readonly operations: OperationsPort
  readonly base: Base
  readonly recorded: Recorded
  readonly before: ReadonlyMap<OperationId, RecordedEnd>
  /** The states that operations of earlier lives made. */
  readonly made: (id: OperationId) => TrackedState | undefined
}

/** The decisions of earlier lives, carried on through log and queue. */
export function createReplay(deps: ReplayDeps): Replay {
  const { recorded, before } = deps
  const settled: Replay['settled'] = decision => {
    const { operation } = decision
    const state = stateIn(deps, decision)
    const step = { ...stepOfOperation(operation, deps), next: state }
    return { step, tracked: trackedBy(state, operation.id) }
  }
  const running = new Map<OperationId, Promise<readonly EndedStep[]>>()
  const rerun: Replay['rerun'] = async ({ operations }, note) => {
    const chain = operations.map(operation => ({
      operation,
      step: isUnsent(operation) ? undefined : stepOfOperation(operation, deps),
    }))
    const steps = chain.flatMap(({ step }) => step ?? [])
    const ended = await runChain(deps, chain, before)
    if (isWhole(ended, steps.length)) tellReplaces(deps.emitter, ended)
    note(steps, ended)
    return ended
  }
  return {
    decisionsOf: recorded.of,
    urns: () => [...new Set(recorded.decisions.map(urnOf))],
    settled,
    rerun(registration, note) {
      const [first] = registration.operations
      const known = first === undefined ? undefined : running.get(first.id)
      if (known !== undefined) return known
      const ended = rerun(registration, note)
      if (first !== undefined) running.set(first.id, ended)
      return ended
    },
    importOf: urn =>
      recorded
        .of(urn)
        .findLast(
          (decision): decision is RecordedRegistration =>
            decision.kind === 'registration' && decision.operations.some(({ op }) => isImport(op)),
        ),
    refreshOf: urn =>
      recorded.of(urn).find((decision): decision is RecordedRegistration => isRefresh(decision)),
    deletingFirst: urn =>
      recorded.decisions.findLast(
        (decision): decision is RecordedRegistration =>
          decision.kind === 'registration' &&
          decision.operations.some(one => one.urn === urn && one.effect === 'mark-pending'),
      ),
    withdraw: ({ operations: [first] }) => withdraw(deps, first),
    async stateOf(urn) {
      const last = recorded.of(urn).at(-1)
      if (last === undefined) return undefined
      if (last.kind === 'settled') return settled(last).tracked
      const made = last.operations.findLast(one => one.effect !== 'remove' && !isUnsent(one))
      return madeBy(deps, made === undefined ? undefined : lastTry(recorded, made.id))
    },
  }
}

/** Ends what nobody has begun; false where somebody has. */
async function withdraw(
  { operations, deployment, recorded }: ReplayDeps,
  first: RecordedRegistration['operations'][number] | undefined,
): Promise<boolean> {
  if (first === undefined || recorded.hooked(first.id) !== undefined) return false
  return operations.select(deployment, first.id, { owner: '', attempt: 0, verdict: 'failed' })
}

function urnOf(decision: Recorded['decisions'][number]) {
  return decision.kind === 'registration' ? decision.urn : decision.operation.urn
}

/** The state of a settled step with the outputs that were registered for it since. */
function stateIn(deps: ReplayDeps, { operation, state }: RecordedSettled) {
  if (state === undefined)
    throw error('STATE_INVALID', `the record of operation ${operation.id} lacks its state`)
  return deps.sealing.open(state)
}

async function madeBy(
  deps: ReplayDeps,
  id: OperationId | undefined,
): Promise<TrackedState | undefined> {
  if (id === undefined) return undefined
  const ends = await deps.operations.ends(deps.deployment, [id])
  const found = ends.get(id)
  if (found?.head.end === undefined) return undefined
  const { state } = stepEndOf(found, deps.sealing)
  return state === undefined ? undefined : trackedBy(state, id)
}
