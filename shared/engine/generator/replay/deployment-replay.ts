import type { OperationsPort } from '../../../ports/records.ts'
import type { OperationId } from '../../../records/ids.ts'
import { isUnsent } from '../../../records/operation.ts'
import { error } from '../../../errors/error.ts'
import type { Base } from '../../deployment/state/base.ts'
import {
  type ChainDeps,
  isChainComplete,
  runChain,
  trackedStateOf,
} from '../../deployment/dispatch/run-chain.ts'
import type { RecordedEnd } from '../../deployment/ends/end-watcher.ts'
import { stepOfOperation } from '../../deployment/state/operations.ts'
import { stepEndOf } from '../../deployment/ends/recorded-end.ts'
import { lastRetryOf, type DecisionIndex } from '../../deployment/log/decision-index.ts'
import { emitReplaces } from '../../events/replace-events.ts'
import { isImport, type TrackedState } from '../../step.ts'
import type { EndedStep } from '../../step-end.ts'
import {
  isRefresh,
  type RecordedRegistration,
  type RecordedSettlement,
  type Replay,
} from './replay.ts'

/** The dependencies of a replay. `earlierEnds`: the ends when this generator started. */
export interface ReplayDeps extends ChainDeps {
  readonly operations: OperationsPort
  readonly base: Base
  readonly recorded: DecisionIndex
  readonly earlierEnds: ReadonlyMap<OperationId, RecordedEnd>
  /** Returns the state that an operation of an earlier generator created. */
  readonly findMade: (id: OperationId) => TrackedState | undefined
}

/** Creates the replay of earlier decisions, through log and queue. */
export function createReplay(deps: ReplayDeps): Replay {
  const { recorded, earlierEnds } = deps
  const reopenSettled: Replay['reopenSettled'] = decision => {
    const { operation } = decision
    const state = openSettledState(deps, decision)
    const step = { ...stepOfOperation(operation, deps), next: state }
    return { step, tracked: trackedStateOf(state, operation.id) }
  }
  const running = new Map<OperationId, Promise<readonly EndedStep[]>>()
  const rerun: Replay['resume'] = async ({ operations }, onEnd) => {
    const chain = operations.map(operation => ({
      operation,
      step: isUnsent(operation) ? undefined : stepOfOperation(operation, deps),
    }))
    const steps = chain.flatMap(({ step }) => step ?? [])
    const ended = await runChain(deps, chain, earlierEnds)
    if (isChainComplete(ended, steps.length)) emitReplaces(deps.emitter, ended)
    onEnd(steps, ended)
    return ended
  }
  return {
    decisionsOf: recorded.decisionsOf,
    recordedUrns: () => [...new Set(recorded.decisions.map(urnOf))],
    reopenSettled,
    resume(registration, onEnd) {
      const [first] = registration.operations
      const known = first === undefined ? undefined : running.get(first.id)
      if (known !== undefined) return known
      const ended = rerun(registration, onEnd)
      if (first !== undefined) running.set(first.id, ended)
      return ended
    },
    importOf: urn =>
      recorded
        .decisionsOf(urn)
        .findLast(
          (decision): decision is RecordedRegistration =>
            decision.kind === 'registration' && decision.operations.some(({ op }) => isImport(op)),
        ),
    refreshOf: urn =>
      recorded
        .decisionsOf(urn)
        .find((decision): decision is RecordedRegistration => isRefresh(decision)),
    deleteBeforeReplaceOf: urn =>
      recorded.decisions.findLast(
        (decision): decision is RecordedRegistration =>
          decision.kind === 'registration' &&
          decision.operations.some(one => one.urn === urn && one.effect === 'mark-pending'),
      ),
    withdraw: ({ operations: [first] }) => withdraw(deps, first),
    async readState(urn) {
      const last = recorded.decisionsOf(urn).at(-1)
      if (last === undefined) return undefined
      if (last.kind === 'settled') return reopenSettled(last).tracked
      const made = last.operations.findLast(one => one.effect !== 'remove' && !isUnsent(one))
      return readMadeState(deps, made === undefined ? undefined : lastRetryOf(recorded, made.id))
    },
  }
}

/** Ends a first operation that has not begun; returns false when it has. */
async function withdraw(
  { operations, deployment, recorded }: ReplayDeps,
  first: RecordedRegistration['operations'][number] | undefined,
): Promise<boolean> {
  if (first === undefined || recorded.hookResultOf(first.id) !== undefined) return false
  return operations.select(deployment, first.id, { owner: '', attempt: 0, verdict: 'failed' })
}

function urnOf(decision: DecisionIndex['decisions'][number]) {
  return decision.kind === 'registration' ? decision.urn : decision.operation.urn
}

/** Returns the state of a settled step with the outputs that were registered since. */
function openSettledState(deps: ReplayDeps, { operation, state }: RecordedSettlement) {
  if (state === undefined)
    throw error('STATE_INVALID', `the record of operation ${operation.id} lacks its state`)
  return deps.sealing.open(state)
}

async function readMadeState(
  deps: ReplayDeps,
  id: OperationId | undefined,
): Promise<TrackedState | undefined> {
  if (id === undefined) return undefined
  const ends = await deps.operations.getEnds(deps.deployment, [id])
  const found = ends.get(id)
  if (found?.head.end === undefined) return undefined
  const { state } = stepEndOf(found, deps.sealing)
  return state === undefined ? undefined : trackedStateOf(state, id)
}
