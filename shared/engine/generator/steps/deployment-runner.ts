import type { ResourceState } from '../../../state/resource.ts'
import type { Step } from '../../step.ts'
import { runHooks } from '../../deployment/dispatch/run-hooked-call.ts'
import {
  type ChainDeps,
  isChainComplete,
  runChain,
  trackedStateOf,
} from '../../deployment/dispatch/run-chain.ts'
import {
  type PlannedOperation,
  planStepOperations,
} from '../../deployment/dispatch/hook-operations.ts'
import { operationOf } from '../../deployment/state/operations.ts'
import type { RecordedAnswer } from '../../deployment/log/decision-index.ts'
import { emitReplaces } from '../../events/replace-events.ts'
import { equalResources } from '../../../state/equal.ts'
import type { StepRunner } from '../step-runner.ts'

/** The dependencies of a runner that records its steps. */
export interface DeploymentRunnerDeps extends ChainDeps {
  /** Reports whether the base has an extension. */
  readonly isInBase: (extension: string) => boolean
  /** Counts a call of a key; `known`: the answer that an earlier generator recorded. */
  readonly nextCall: (key: string) => {
    readonly at: number
    readonly known: RecordedAnswer | undefined
  }
}

/** Creates a runner over log and queue: steps are recorded, sent and ended before the answer. */
export function createDeploymentRunner(deps: DeploymentRunnerDeps): StepRunner {
  const { writer, sealing, recorded, isInBase } = deps
  const extended = new Set(recorded?.extensions)
  return {
    async run({ urn, goal, steps, sets }) {
      const called = steps.filter(step => step.op !== 'replace')
      const chain = chainOf(called, deps)
      const operations = chain.map(({ operation }) => operation)
      await writer.append({ kind: 'registration', urn, goal, operations, sets })
      const ended = await runChain(deps, chain)
      if (!isChainComplete(ended, called.length)) return ended
      emitReplaces(deps.emitter, ended)
      return ended
    },
    async settle({ step, state, goal, sets }) {
      const operation = operationOf(step, { id: deps.nextId(), needs: 0, releases: [] }, sealing)
      const stored = state === undefined ? {} : { state: sealing.seal(state) }
      const { state: _draft, ...bare } = operation
      await writer.append({ kind: 'settled', operation: bare, ...stored, goal, sets })
      return trackedStateOf(state ?? stateOf(step), operation.id)
    },
    recordExtension({ ref, ...extension }) {
      if (extended.has(ref) || isInBase(ref)) return
      extended.add(ref)
      const decision = { kind: 'extension', ref, extension } as const
      writer.defer(decision)
    },
    async recordOutputs(target, state) {
      const before = recorded?.outputsOf(target.ref)
      if (before !== undefined && equalResources(sealing.open(before), state))
        return { state, ref: target.ref }
      const operation = deps.nextId()
      await writer.append({
        kind: 'outputs',
        target: target.ref,
        state: sealing.seal(state),
        operation,
      })
      return { state, ref: target.ref }
    },
    async runHooks(moment) {
      const { urn, hook } = moment
      const known = recorded?.settledHookResultOf(urn, hook)
      if (known !== undefined) return known.error
      const error = await runHooks(deps, moment)
      const verdict = error === undefined ? 'succeeded' : 'failed'
      const why = error === undefined ? {} : { error }
      await writer.append({ kind: 'hooked', urn, hook, verdict, ...why })
      return error
    },
    answerCall: createCallAnswerer(deps),
  }
}

/** Answers calls of the program from the records, or requests and records the answer. */
function createCallAnswerer(deps: DeploymentRunnerDeps): StepRunner['answerCall'] {
  const { writer, sealing } = deps
  return async (key, request) => {
    const { at, known } = deps.nextCall(key)
    if (known?.isAskedAgain === true) await request()
    if (known !== undefined)
      return {
        outputs: sealing.openMap(known.outputs),
        failures: known.failures,
        dependencies: new Map(known.dependencies ?? []),
      }
    const answer = await request()
    // Not awaited: the record is durable before the next decision, or no decision used it.
    writer.defer({
      kind: 'answered',
      key,
      at,
      outputs: sealing.sealMap(answer.outputs),
      failures: answer.failures,
      ...(answer.dependencies === undefined ? {} : { dependencies: [...answer.dependencies] }),
      ...(answer.shouldRepeat === true ? { isAskedAgain: true } : {}),
    })
    return answer
  }
}

/** Plans operations as a chain: each is the only need of the next. */
function chainOf(steps: readonly Step[], deps: DeploymentRunnerDeps): readonly PlannedOperation[] {
  const links = steps.flatMap((step, at) =>
    planStepOperations(step, { id: deps.nextId(), needs: at === 0 ? 0 : 1, releases: [] }, deps),
  )
  return links.map(({ operation, step }, at) => {
    const next = links[at + 1]?.operation.id
    return { step, operation: { ...operation, releases: next === undefined ? [] : [next] } }
  })
}

function stateOf(step: Step): ResourceState {
  const state = step.next ?? step.old?.state
  if (state === undefined) throw new TypeError('a step has an old or a new state')
  return state
}
