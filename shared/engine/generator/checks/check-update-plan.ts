import { nameOf, type Urn } from '../../../names/urn.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { emptyMap, type PropertyMap } from '../../../values/value.ts'
import type { RecordedDecision } from '../../deployment/log/decision-index.ts'
import {
  findGoalViolations,
  findOutputViolations,
  type ProposedGoal,
} from '../../plan/goal-violations.ts'
import { noDifference } from '../../plan/update-plan.ts'
import type { Step } from '../../step.ts'
import type { Alias } from '../../../names/alias.ts'
import type { UrnClaim } from '../registration/claim-urn.ts'
import type { DecisionPorts, GeneratorContext } from '../context.ts'
import type { GeneratorSets } from '../sets.ts'
import { emitDiagnostics } from '../finish-stage.ts'
import { decided, type Diagnostic, failDeployment, type Result } from '../stage.ts'
import type { Goal } from '../registration/goal.ts'

/** Returns the seed for Check: the planned one, so that random names are as planned. */
export function chooseSeed(
  { updatePlan, randomSeed }: Pick<DecisionPorts, 'updatePlan' | 'randomSeed'>,
  urn: Urn,
): Uint8Array {
  return updatePlan.guard?.resourceOf(urn)?.seed ?? randomSeed()
}

/** A checked registration. `isFresh`: it was checked without the old inputs. */
interface CheckedGoal {
  readonly goal: Goal
  readonly inputs: PropertyMap
  readonly seed: Uint8Array
  readonly isFresh: boolean
}

/**
 * Adds a checked registration to the drafted plan, and fails when it violates the update plan.
 * Source: docs/spec/step-generation.md#update-plans.
 */
export function checkGoalAgainstPlan(
  { ports }: Pick<GeneratorContext, 'ports'>,
  claim: UrnClaim,
  { goal: checked, inputs: news, seed, isFresh }: CheckedGoal,
): Result<void> {
  const { guard, draft } = ports.updatePlan
  if (guard === undefined && draft === undefined) return decided(undefined)
  const proposed = proposedGoal(checked)
  const old = claim.old?.state
  const olds = old?.inputs ?? emptyMap
  draft?.recordGoal(claim.urn, proposed, { olds: isFresh ? emptyMap : olds, news, seed })
  if (guard === undefined) return decided(undefined)
  const resource = guard.resourceOf(claim.urn)
  // A resource that neither the plan nor the state has is refused with its first step.
  if (resource === undefined && old === undefined) return decided(undefined)
  const goal =
    resource === undefined && old !== undefined
      ? { ...goalOf(old), inputs: noDifference, outputs: noDifference }
      : resource?.goal
  return failOnViolations(claim.urn, findGoalViolations(goal, proposed, { olds, news }))
}

/** Checks goal and steps of an untargeted resource: it stays as it is, or is not created. */
export function checkUntargetedAgainstPlan(
  ctx: GeneratorContext,
  claim: UrnClaim,
  goal: Goal,
): Result<void> {
  const old = claim.old?.state
  const inputs = goal.custom ? (old?.inputs ?? emptyMap) : goal.inputs
  const seed = chooseSeed(ctx.ports, claim.urn)
  const admitted = checkGoalAgainstPlan(ctx, claim, {
    ...{ goal, inputs, seed },
    isFresh: old === undefined,
  })
  if (admitted.kind === 'failed') return admitted
  return checkStepsAgainstPlan(ctx, [{ urn: claim.urn, op: 'same' }])
}

/** Adds steps to the drafted plan, and fails at the first step that the update plan lacks. */
export function checkStepsAgainstPlan(
  { input, ports }: GeneratorContext,
  steps: readonly Pick<Step, 'urn' | 'op'>[],
): Result<void> {
  const { guard, draft } = ports.updatePlan
  for (const step of steps) {
    const urn = input.sets.aliased.get(step.urn) ?? step.urn
    const violation = guard?.take(urn, step.op)
    if (violation !== undefined) return failDeployment(violation, urn)
    draft?.recordStep(urn, step.op)
  }
  return decided(undefined)
}

/**
 * Checks the deletes at the end like `checkStepsAgainstPlan`, under their own names. Returns false
 * after all refused deletes were reported.
 */
export function checkDeletesAgainstPlan(
  { ports }: Pick<GeneratorContext, 'ports'>,
  steps: readonly Step[],
): boolean {
  const { guard, draft } = ports.updatePlan
  const refused: Diagnostic[] = []
  for (const { urn, op } of steps) {
    draft?.recordStep(urn, op)
    const message = guard?.take(urn, op)
    if (message !== undefined) refused.push({ message, urn })
  }
  emitDiagnostics(ports, refused)
  return refused.length === 0
}

/** Adds registered outputs to the drafted plan, and fails when they violate the update plan. */
export function checkOutputsAgainstPlan(
  { input, ports }: GeneratorContext,
  urn: Urn,
  news: PropertyMap,
): Result<void> {
  const { guard, draft } = ports.updatePlan
  if (guard === undefined && draft === undefined) return decided(undefined)
  const index = input.base.liveIndexOf(urn)
  const olds = index === undefined ? emptyMap : input.base.trackedAt(index).state.outputs
  if (guard !== undefined) {
    const resource = guard.resourceOf(urn)
    if (resource === undefined) return failDeployment(`no plan for resource ${urn}`, urn)
    const violations = findOutputViolations(resource.goal, { olds, news })
    const admitted = failOnViolations(urn, violations)
    if (admitted.kind === 'failed') return admitted
  }
  draft?.recordRegisteredOutputs(urn, olds, news)
  return decided(undefined)
}

function failOnViolations(urn: Urn, violations: readonly string[]): Result<void> {
  if (violations.length === 0) return decided(undefined)
  return failDeployment(`resource ${urn} violates plan: ${violations.join('; ')}`, urn)
}

/** Reports each resource whose planned steps are missing; returns false if there is one. */
export function reportUnmet(
  { emitter }: Pick<DecisionPorts, 'emitter'>,
  unmet: readonly Urn[],
): boolean {
  const describe = (urn: Urn): string =>
    `expected resource operations for ${urn} but none were seen`
  emitDiagnostics(
    { emitter },
    unmet.map(urn => ({ message: describe(urn), urn })),
  )
  return unmet.length === 0
}

/** Returns the resources whose planned steps are missing. */
export function findUnmet({ input, ports }: GeneratorContext): readonly Urn[] {
  const urns = new Set(input.base.snapshot.resources.map(state => state.urn))
  return ports.updatePlan.guard?.findUnmet(urn => urns.has(urn)) ?? []
}

/** Returns the resources whose planned steps a recorded decision took, once for each step. */
export function plannedUrnsOf(
  decision: RecordedDecision,
  { aliased }: Pick<GeneratorSets, 'aliased'>,
): readonly Urn[] {
  const operations = decision.kind === 'registration' ? decision.operations : [decision.operation]
  return operations.flatMap(({ op, urn: named }) => {
    const urn = aliased.get(named) ?? named
    // Plans have no steps for reads and imports.
    if (op.startsWith('read') || op.startsWith('import')) return []
    // A replacement has no operation of its own, but it is a step of the plan.
    return op === 'create-replacement' ? [urn, urn] : [urn]
  })
}

function proposedGoal(goal: Goal): ProposedGoal {
  const { type, name, custom, parent, provider, dependencies, propertyDependencies } = goal
  const { deleteBeforeReplace, ignoreChanges, additionalSecretOutputs, customTimeouts } = goal
  return {
    ...{ type, name, custom, parent, provider, dependencies, propertyDependencies },
    ...{ deleteBeforeReplace, ignoreChanges, additionalSecretOutputs, customTimeouts },
    protect: goal.protect ?? false,
    aliases: goal.aliases.map(aliasOf),
    id: goal.importId,
  }
}

/** Returns the goal with which an old state would be registered unchanged. */
function goalOf(old: ResourceState): ProposedGoal {
  const { type, custom, parent, provider, dependencies, propertyDependencies } = old
  const { additionalSecretOutputs, customTimeouts, protect } = old
  return {
    ...{ type, custom, parent, provider, dependencies, propertyDependencies },
    ...{ additionalSecretOutputs, customTimeouts, protect },
    name: nameOf(old.urn),
    deleteBeforeReplace: undefined,
    ignoreChanges: [],
    aliases: old.aliases.map(urn => aliasOf({ kind: 'urn', urn })),
    id: '',
  }
}

const noAlias = { urn: '', name: '', type: '', project: '', stack: '', parent: '', noParent: false }

function aliasOf(alias: Alias): typeof noAlias {
  if (alias.kind === 'urn') return { ...noAlias, urn: alias.urn }
  const { name = '', type = '', project = '', stack = '', parent } = alias
  return { ...noAlias, name, type, project, stack, parent: parent ?? '', noParent: parent === '' }
}
