import type { ChainQueuePort } from '../../ports/queue.ts'
import type { DeploymentId, OperationId } from '../../records/ids.ts'
import type { Operation } from '../../records/operation.ts'
import type { ResourceState } from '../../state/resource.ts'
import type { StepEmitter } from '../events/step-emitter.ts'
import type { EndedStep, StepRunner } from './context.ts'
import type { Step, TrackedState } from '../step.ts'
import { type StepEnd, succeeded } from '../step-end.ts'
import type { EndWatcher } from '../deployment/end-watcher.ts'
import type { LogWriter } from '../deployment/log-writer.ts'
import { operationOf } from '../deployment/operations.ts'
import { stepEndOf } from '../deployment/recorded-end.ts'
import type { Sealing } from '../deployment/sealing.ts'

/** What a runner over the records needs. */
export interface DeploymentRunnerDeps {
  readonly deployment: DeploymentId
  readonly writer: LogWriter
  readonly chains: ChainQueuePort
  readonly watcher: EndWatcher
  readonly sealing: Sealing
  readonly emitter: StepEmitter
  readonly nextId: () => OperationId
}

/**
 * Carries steps out through log and queue: decided, durable, sent, ended, and only then answered.
 */
export function createDeploymentRunner(deps: DeploymentRunnerDeps): StepRunner {
  const { writer, sealing, emitter } = deps
  const runChain = async (
    chain: readonly Operation[],
    steps: readonly Step[],
  ): Promise<EndedStep[]> => {
    const waits = chain.map(operation => deps.watcher.wait(operation.id))
    for (const wait of waits) wait.catch(() => undefined)
    const first = chain[0]
    if (first !== undefined)
      await deps.chains.send([{ deployment: deps.deployment, operations: [first.id] }])
    const ended: EndedStep[] = []
    for (const [at, operation] of chain.entries()) {
      const step = steps[at]
      const wait = waits[at]
      if (step === undefined || wait === undefined) break
      const one = endedStep(step, operation, stepEndOf(await wait, sealing))
      emitter.count(step, one.end)
      ended.push(one)
      if (one.end.verdict !== 'succeeded') break
    }
    return ended
  }
  return {
    async run({ urn, goal, steps, sets }) {
      const called = steps.filter(step => step.op !== 'replace')
      const operations = chainOf(called, deps)
      await writer.append({ kind: 'registration', urn, goal, operations, sets })
      const ended = await runChain(operations, called)
      const isWhole =
        ended.length === called.length && ended.every(({ end }) => end.verdict === 'succeeded')
      if (!isWhole) return ended
      for (const step of steps.filter(({ op }) => op === 'replace')) tellReplace(emitter, step)
      return ended
    },
    async settle(step, state) {
      const operation = operationOf(step, { id: deps.nextId(), needs: 0, releases: [] }, sealing)
      const stored = state === undefined ? {} : { state: sealing.seal(state) }
      const { state: _draft, ...bare } = operation
      await writer.append({ kind: 'settled', operation: bare, ...stored })
      return tracked(state ?? stateOf(step), operation.id)
    },
    async outputs(target, state) {
      const operation = deps.nextId()
      await writer.append({
        kind: 'outputs',
        target: target.ref,
        state: sealing.seal(state),
        operation,
      })
      return { state, ref: target.ref }
    },
  }
}

/** Each operation is the only need of the next. */
function chainOf(steps: readonly Step[], deps: DeploymentRunnerDeps): readonly Operation[] {
  const ids = steps.map(() => deps.nextId())
  return steps.flatMap((step, at) => {
    const id = ids[at]
    const next = ids[at + 1]
    if (id === undefined) return []
    const place = { id, needs: at === 0 ? 0 : 1, releases: next === undefined ? [] : [next] }
    return [operationOf(step, place, deps.sealing)]
  })
}

function endedStep(step: Step, operation: Operation, end: StepEnd): EndedStep {
  return {
    step,
    end,
    tracked: end.state === undefined ? undefined : tracked(end.state, operation.id),
  }
}

function tracked(state: ResourceState, operation: OperationId): TrackedState {
  return { state, ref: { kind: 'operation', operation } }
}

function stateOf(step: Step): ResourceState {
  const state = step.next ?? step.old?.state
  if (state === undefined) throw new TypeError('a step has an old or a new state')
  return state
}

function tellReplace(emitter: StepEmitter, step: Step): void {
  emitter.pre(step)
  const end = succeeded(step.next)
  emitter.ended(step, end)
  emitter.count(step, end)
}
