import type { Base } from '../deployment/state/base.ts'
import type { DecisionInput, DecisionPorts, GeneratorContext } from '../generator/context.ts'
import { reduceSets, type WritableSets } from '../generator/reduce-sets.ts'
import { toCanonicalCall, toCanonicalGoal } from '../generator/registration/canonical-goal.ts'
import { scopeOf } from '../generator/targets/scope.ts'
import { programRefreshModeOf, runsProgram } from '../../records/log.ts'
import type { DeployInput } from '../request.ts'

/** The dependencies of a context that are equal for every base. */
interface ContextDeps
  extends Pick<
    DecisionPorts,
    'providers' | 'emitter' | 'forecast' | 'randomSeed' | 'uuid' | 'pause'
  > {
  readonly request: DeployInput
  readonly performDeps: Pick<DecisionPorts, 'timestamp'>
  readonly digest: (text: string) => string
  readonly sets: WritableSets
  readonly constraints: Pick<DecisionInput, 'autonaming'> &
    Pick<DecisionPorts, 'updatePlan' | 'analyzers'>
  readonly control: Pick<
    DecisionPorts,
    'decideSerially' | 'abort' | 'isAborted' | 'whenAborted' | 'markFailed'
  >
}

/** Creates the context of a run. Its decisions compare registrations with the base. */
export function createGeneratorContext(
  deps: ContextDeps,
  base: Base,
  { runner, replay }: Pick<DecisionPorts, 'runner' | 'replay'>,
): GeneratorContext {
  const { providers, emitter, forecast, randomSeed, uuid, pause, sets, constraints } = deps
  const { updatePlan, analyzers } = constraints
  return {
    input: createDecisionInput(deps, base),
    ports: {
      ...deps.control,
      runner,
      replay,
      providers,
      analyzers,
      emitter,
      updatePlan,
      forecast,
      randomSeed,
      uuid,
      pause,
      timestamp: deps.performDeps.timestamp,
      goalDigestOf: goal => deps.digest(toCanonicalGoal(goal)),
      callDigestOf: call => deps.digest(toCanonicalCall(call)),
    },
    apply(delta) {
      reduceSets(sets, delta)
      for (const [old, current] of delta.aliased ?? []) providers.alias(old, current)
    },
  }
}

function createDecisionInput(
  { request, sets, constraints }: ContextDeps,
  base: Base,
): DecisionInput {
  const { options } = request
  const [, project = '', stack = ''] = request.stack.split('/')
  return {
    stack,
    project,
    isPreview: request.dryRun,
    continueOnError: options.continueOnError,
    autonaming: constraints.autonaming,
    isProgramDestroy: options.command === 'destroy' && runsProgram(options),
    programRefreshMode: programRefreshModeOf(options),
    trustsInputs: options.legacyDiff === true,
    outputsOnly: options.legacyRefreshDiff === true,
    ignoreProtect: options.ignoreProtect === true,
    base,
    scope: scopeOf(options.targeting, base),
    sets,
  }
}
