import type { OperationsPort } from '../../../ports/records.ts'
import type { OperationId } from '../../../records/ids.ts'
import { isJoinOrHook } from '../../../records/operation.ts'
import { createError } from '../../../errors/error.ts'
import type { Base } from '../../deployment/state/base.ts'
import {
  type ChainDeps,
  isChainComplete,
  runChain,
  trackedStateOf,
} from '../../deployment/dispatch/run-chain.ts'
import type { RecordedEnd } from '../../deployment/ends/end-watcher.ts'
import { stepOfOperation } from '../../deployment/state/step-operations.ts'
import { stepEndOf } from '../../deployment/ends/open-recorded-end.ts'
import { lastRetryOf, type DecisionIndex } from '../../deployment/log/decision-index.ts'
import { emitReplaceSteps } from '../../events/replace-events.ts'
import { isImport, type TrackedState } from '../../step.ts'
import type { EndedStep } from '../../step-end.ts'
import {
  isRefreshDecision,
  type RecordedRegistration,
  type RecordedSettlement,
  type Replay,
} from './decision-replay.ts'

/**
 * The dependencies of a replay. `earlierEnds`: the ends from before the start of this generator
 * run.
 */
export interface ReplayDeps extends ChainDeps {
  readonly operations: OperationsPort
  readonly base: Base
  readonly earlierDecisions: DecisionIndex
  readonly earlierEnds: ReadonlyMap<OperationId, RecordedEnd>
  /** Returns the resulting state of an operation of an earlier generator run. */
  readonly findResultState: (id: OperationId) => TrackedState | undefined
}

/**
 * Creates the replay of recorded decisions. The replay sends their unfinished operations to the
 * chain queue.
 */
export function createReplay(deps: ReplayDeps): Replay {
  const { earlierDecisions, earlierEnds } = deps
  const reopenSettled: Replay['reopenSettled'] = decision => {
    const { operation } = decision
    const state = openSettledState(deps, decision)
    const step = { ...stepOfOperation(operation, deps), next: state }
    return { step, trackedState: trackedStateOf(state, operation.id) }
  }
  const runningChains = new Map<OperationId, Promise<readonly EndedStep[]>>()
  const continueChain: Replay['resume'] = async ({ operations }, onEnd) => {
    const chain = operations.map(operation => ({
      operation,
      step: isJoinOrHook(operation) ? undefined : stepOfOperation(operation, deps),
    }))
    const steps = chain.flatMap(({ step }) => step ?? [])
    const endedSteps = await runChain(deps, chain, earlierEnds)
    emitReplaceSteps(deps.emitter, endedSteps, isChainComplete(endedSteps, steps.length))
    onEnd(steps, endedSteps)
    return endedSteps
  }
  return {
    decisionsOf: earlierDecisions.decisionsOf,
    recordedUrns: () => [...new Set(earlierDecisions.decisions.map(decisionUrnOf))],
    reopenSettled,
    resume(registration, onEnd) {
      const [firstOperation] = registration.operations
      const runningChain =
        firstOperation === undefined ? undefined : runningChains.get(firstOperation.id)
      if (runningChain !== undefined) return runningChain
      const chainEnd = continueChain(registration, onEnd)
      if (firstOperation !== undefined) runningChains.set(firstOperation.id, chainEnd)
      return chainEnd
    },
    importOf: urn =>
      earlierDecisions
        .decisionsOf(urn)
        .findLast(
          (decision): decision is RecordedRegistration =>
            decision.kind === 'registration' && decision.operations.some(({ op }) => isImport(op)),
        ),
    refreshOf: urn =>
      earlierDecisions
        .decisionsOf(urn)
        .find((decision): decision is RecordedRegistration => isRefreshDecision(decision)),
    deleteBeforeReplaceOf: urn =>
      earlierDecisions.decisions.findLast(
        (decision): decision is RecordedRegistration =>
          decision.kind === 'registration' &&
          decision.operations.some(
            operation => operation.urn === urn && operation.effect === 'mark-pending',
          ),
      ),
    withdraw: ({ operations: [firstOperation] }) => withdraw(deps, firstOperation),
    async readState(urn) {
      const lastDecision = earlierDecisions.decisionsOf(urn).at(-1)
      if (lastDecision === undefined) return undefined
      if (lastDecision.kind === 'settled') return reopenSettled(lastDecision).trackedState
      const lastChange = lastDecision.operations.findLast(
        operation => operation.effect !== 'remove' && !isJoinOrHook(operation),
      )
      return readResultState(
        deps,
        lastChange === undefined ? undefined : lastRetryOf(earlierDecisions, lastChange.id),
      )
    },
  }
}

/**
 * Ends the first operation of a chain as failed. Returns false if the operation has begun or ended,
 * if a result of its hooks is recorded, or if the chain is empty.
 */
async function withdraw(
  { operations, deployment, earlierDecisions }: ReplayDeps,
  firstOperation: RecordedRegistration['operations'][number] | undefined,
): Promise<boolean> {
  if (
    firstOperation === undefined ||
    earlierDecisions.hookResultOf(firstOperation.id) !== undefined
  )
    return false
  return operations.select(deployment, firstOperation.id, {
    owner: '',
    attempt: 0,
    verdict: 'failed',
  })
}

function decisionUrnOf(decision: DecisionIndex['decisions'][number]) {
  return decision.kind === 'registration' ? decision.urn : decision.operation.urn
}

/** Returns the state of a settled step, without outputs that were registered later. */
function openSettledState(deps: ReplayDeps, { operation, state }: RecordedSettlement) {
  if (state === undefined)
    throw createError('STATE_INVALID', `the record of operation ${operation.id} lacks its state`)
  return deps.sealing.open(state)
}

async function readResultState(
  deps: ReplayDeps,
  id: OperationId | undefined,
): Promise<TrackedState | undefined> {
  if (id === undefined) return undefined
  const ends = await deps.operations.getEnds(deps.deployment, [id])
  const recordedEnd = ends.get(id)
  if (recordedEnd?.head.end === undefined) return undefined
  const { state } = stepEndOf(recordedEnd, deps.sealing)
  return state === undefined ? undefined : trackedStateOf(state, id)
}
