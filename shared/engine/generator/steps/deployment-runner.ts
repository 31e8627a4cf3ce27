import { newestStateOf, type Step } from '../../step.ts'
import { runHooks } from '../../deployment/dispatch/run-hooks.ts'
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
import { operationOf } from '../../deployment/state/step-operations.ts'
import type { RecordedAnswer } from '../../deployment/log/decision-index.ts'
import { emitReplaceSteps } from '../../events/replace-events.ts'
import { areEqualResources } from '../../../state/equal-resources.ts'
import type { StepRunner } from '../step-runner.ts'

/** The dependencies of a runner that records its steps. */
export interface DeploymentRunnerDeps extends ChainDeps {
  /** Reports whether the base has the extension with this reference. */
  readonly isExtensionInBase: (ref: string) => boolean
  /**
   * Counts a call of the program with a key. `callIndex`: the number of earlier calls with the same
   * key in this generator run. `recordedAnswer`: the answer that an earlier generator run recorded.
   */
  readonly countCall: (key: string) => {
    readonly callIndex: number
    readonly recordedAnswer: RecordedAnswer | undefined
  }
}

/**
 * Creates the runner of a deployment. It records steps in the decision log, sends them to
 * executors, and waits for their ends.
 */
export function createDeploymentRunner(deps: DeploymentRunnerDeps): StepRunner {
  const { writer, sealing, earlierDecisions, isExtensionInBase } = deps
  const recordedExtensions = new Set(earlierDecisions?.extensions)
  return {
    async run({ urn, goalDigest: goal, steps, setsDelta }) {
      const operationSteps = steps.filter(step => step.op !== 'replace')
      const chain = planChain(operationSteps, deps)
      const operations = chain.map(({ operation }) => operation)
      await writer.append({ kind: 'registration', urn, goal, operations, sets: setsDelta })
      const endedSteps = await runChain(deps, chain)
      const isComplete = isChainComplete(endedSteps, operationSteps.length)
      emitReplaceSteps(deps.emitter, endedSteps, isComplete)
      return endedSteps
    },
    async settle({ step, state, goalDigest, setsDelta }) {
      const operation = operationOf(step, { id: deps.nextId(), needs: 0, releases: [] }, sealing)
      const stateField = state === undefined ? {} : { state: sealing.seal(state, step.old?.state) }
      const { state: _draft, ...operationFields } = operation
      await writer.append({
        kind: 'settled',
        operation: operationFields,
        ...stateField,
        goal: goalDigest,
        sets: setsDelta,
      })
      return trackedStateOf(state ?? newestStateOf(step), operation.id)
    },
    recordExtension({ ref, ...extension }) {
      if (recordedExtensions.has(ref) || isExtensionInBase(ref)) return
      recordedExtensions.add(ref)
      const decision = { kind: 'extension', ref, extension } as const
      writer.defer(decision)
    },
    async recordOutputs(target, state) {
      const recordedOutputs = earlierDecisions?.outputsOf(target.ref)
      if (recordedOutputs !== undefined && areEqualResources(sealing.open(recordedOutputs), state))
        return { state, ref: target.ref }
      const operation = deps.nextId()
      await writer.append({
        kind: 'outputs',
        target: target.ref,
        state: sealing.seal(state, target.state),
        operation,
      })
      return { state, ref: target.ref }
    },
    async runHooks(hookCall) {
      const { urn, hookType } = hookCall
      const recordedResult = earlierDecisions?.settledHookResultOf(urn, hookType)
      if (recordedResult !== undefined) return recordedResult.error
      const error = await runHooks(deps, hookCall)
      const verdict = error === undefined ? 'succeeded' : 'failed'
      const errorField = error === undefined ? {} : { error }
      await writer.append({ kind: 'hooked', urn, hook: hookType, verdict, ...errorField })
      return error
    },
    answerCall: createCallAnswerer(deps),
  }
}

/**
 * Creates a function that answers calls of the program from the records, or else requests and
 * records the answer.
 */
function createCallAnswerer(deps: DeploymentRunnerDeps): StepRunner['answerCall'] {
  const { writer, sealing } = deps
  return async (key, request) => {
    const { callIndex, recordedAnswer } = deps.countCall(key)
    // The call is repeated because it registers resources. The program still gets the recorded
    // answer.
    if (recordedAnswer?.isAskedAgain === true) await request()
    if (recordedAnswer !== undefined)
      return {
        outputs: sealing.openMap(recordedAnswer.outputs),
        failures: recordedAnswer.failures,
        dependencies: new Map(recordedAnswer.dependencies ?? []),
      }
    const answer = await request()
    // The write is not awaited, because the record becomes durable no later than the next decision.
    writer.defer({
      kind: 'answered',
      key,
      at: callIndex,
      outputs: sealing.sealMap(answer.outputs),
      failures: answer.failures,
      ...(answer.dependencies === undefined ? {} : { dependencies: [...answer.dependencies] }),
      ...(answer.shouldRepeat === true ? { isAskedAgain: true } : {}),
    })
    return answer
  }
}

/** Plans the operations of steps as a chain. */
function planChain(
  steps: readonly Step[],
  deps: DeploymentRunnerDeps,
): readonly PlannedOperation[] {
  const chainOperations = steps.flatMap((step, index) =>
    planStepOperations(step, { id: deps.nextId(), needs: index === 0 ? 0 : 1, releases: [] }, deps),
  )
  return chainOperations.map(({ operation, step }, index) => {
    const nextId = chainOperations[index + 1]?.operation.id
    return { step, operation: { ...operation, releases: nextId === undefined ? [] : [nextId] } }
  })
}
