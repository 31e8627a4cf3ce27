import { nameOf, type Urn } from '../../../names/urn.ts'
import { isJoinOrHook } from '../../../records/operation.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { emptyMap, type PropertyMap } from '../../../values/value.ts'
import type { RecordedDecision } from '../../deployment/log/decision-index.ts'
import {
  findGoalViolations,
  findOutputViolations,
  type ProposedGoal,
} from '../../update-plan/goal-violations.ts'
import { noDifference } from '../../update-plan/update-plan.ts'
import type { Step } from '../../step.ts'
import type { Alias } from '../../../names/alias.ts'
import type { UrnAssignment } from '../registration/assign-urn.ts'
import type { DecisionPorts, GeneratorContext } from '../context.ts'
import type { GeneratorSets } from '../sets.ts'
import { emitDiagnostics } from '../finish-stage.ts'
import { toDecided, type Diagnostic, failDeployment, type Result } from '../stage.ts'
import type { Goal } from '../registration/goal.ts'

/**
 * Returns the seed for Check. The seed of the update plan takes precedence over a new one, so that
 * random names are as planned.
 */
export function chooseSeed(
  { updatePlan, randomSeed }: Pick<DecisionPorts, 'updatePlan' | 'randomSeed'>,
  urn: Urn,
): Uint8Array {
  return updatePlan.guard?.resourceOf(urn)?.seed ?? randomSeed()
}

/**
 * A goal with the inputs to compare with the update plan: those that Check returned. If Check did
 * not run: for a component the inputs of the goal, for another resource the old inputs.
 * `ignoresOldInputs`: whether the drafted plan is computed without the old inputs.
 */
interface CheckedGoal {
  readonly goal: Goal
  readonly inputs: PropertyMap
  readonly seed: Uint8Array
  readonly ignoresOldInputs: boolean
}

/**
 * Adds a checked registration to the drafted plan, and fails when it violates the update plan.
 * Source: docs/spec/step-generation.md#update-plans.
 */
export function checkGoalAgainstUpdatePlan(
  { ports }: Pick<GeneratorContext, 'ports'>,
  assignment: UrnAssignment,
  { goal, inputs: newValues, seed, ignoresOldInputs }: CheckedGoal,
): Result<void> {
  const { guard, draft } = ports.updatePlan
  if (guard === undefined && draft === undefined) return toDecided(undefined)
  const proposal = toProposedGoal(goal)
  const old = assignment.old?.state
  const oldValues = old?.inputs ?? emptyMap
  draft?.recordGoal(assignment.urn, proposal, {
    oldValues: ignoresOldInputs ? emptyMap : oldValues,
    newValues,
    seed,
  })
  if (guard === undefined) return toDecided(undefined)
  const resource = guard.resourceOf(assignment.urn)
  // If the resource is not in the plan and has no old state, `checkStepsAgainstUpdatePlan` refuses
  // the create.
  if (resource === undefined && old === undefined) return toDecided(undefined)
  const plannedGoal =
    resource === undefined && old !== undefined
      ? { ...toUnchangedGoal(old), inputs: noDifference, outputs: noDifference }
      : resource?.goal
  const violations = findGoalViolations(plannedGoal, proposal, { oldValues, newValues })
  return failOnViolations(ports, assignment.urn, violations)
}

/** Checks the goal and the `same` step of an untargeted resource, which is kept or not created. */
export function checkUntargetedAgainstUpdatePlan(
  ctx: GeneratorContext,
  assignment: UrnAssignment,
  goal: Goal,
): Result<void> {
  const old = assignment.old?.state
  const inputs = goal.custom ? (old?.inputs ?? emptyMap) : goal.inputs
  const seed = chooseSeed(ctx.ports, assignment.urn)
  const planResult = checkGoalAgainstUpdatePlan(ctx, assignment, {
    goal,
    inputs,
    seed,
    ignoresOldInputs: old === undefined,
  })
  if (planResult.kind === 'failed') return planResult
  return checkStepsAgainstUpdatePlan(ctx, [{ urn: assignment.urn, op: 'same' }])
}

/** Adds steps to the drafted plan. Fails at the first step that the update plan does not allow. */
export function checkStepsAgainstUpdatePlan(
  { input, ports }: GeneratorContext,
  steps: readonly Pick<Step, 'urn' | 'op'>[],
): Result<void> {
  const { guard, draft } = ports.updatePlan
  for (const step of steps) {
    const urn = input.sets.aliasingUrns.get(step.urn) ?? step.urn
    const violation = guard?.takeStep(urn, step.op)
    if (violation !== undefined) return failDeployment(explainViolation(ports, violation), urn)
    draft?.recordStep(urn, step.op)
  }
  return toDecided(undefined)
}

/**
 * Checks the deletes at the end of the deployment against the update plan, and adds them to the
 * drafted plan. The plan has a delete under the URN of the state, even if a registration has
 * that URN as an alias. Reports every refused delete, and returns false if there is one.
 */
export function checkDeletesAgainstUpdatePlan(
  { ports }: Pick<GeneratorContext, 'ports'>,
  steps: readonly Step[],
): boolean {
  const { guard, draft } = ports.updatePlan
  const refusals: Diagnostic[] = []
  for (const { urn, op } of steps) {
    draft?.recordStep(urn, op)
    const message = guard?.takeStep(urn, op)
    if (message !== undefined) refusals.push({ message: explainViolation(ports, message), urn })
  }
  emitDiagnostics(ports, refusals)
  return refusals.length === 0
}

/** Adds registered outputs to the drafted plan, and fails when they violate the update plan. */
export function checkOutputsAgainstUpdatePlan(
  { input, ports }: GeneratorContext,
  urn: Urn,
  newValues: PropertyMap,
): Result<void> {
  const { guard, draft } = ports.updatePlan
  if (guard === undefined && draft === undefined) return toDecided(undefined)
  const baseIndex = input.base.liveIndexOf(urn)
  const oldValues =
    baseIndex === undefined ? emptyMap : input.base.trackedStateAt(baseIndex).state.outputs
  if (guard !== undefined) {
    const resource = guard.resourceOf(urn)
    if (resource === undefined)
      return failDeployment(explainViolation(ports, `no plan for resource ${urn}`), urn)
    const violations = findOutputViolations(resource.goal, { oldValues, newValues })
    const planResult = failOnViolations(ports, urn, violations)
    if (planResult.kind === 'failed') return planResult
  }
  draft?.recordRegisteredOutputs(urn, oldValues, newValues)
  return toDecided(undefined)
}

function failOnViolations(
  ports: Pick<DecisionPorts, 'updatePlan'>,
  urn: Urn,
  violations: readonly string[],
): Result<void> {
  if (violations.length === 0) return toDecided(undefined)
  const message = `resource ${urn} violates plan: ${violations.join('; ')}`
  return failDeployment(explainViolation(ports, message), urn)
}

/** Returns the message for a violation. If the plan was approved, adds how to continue. */
function explainViolation(
  { updatePlan }: Pick<DecisionPorts, 'updatePlan'>,
  message: string,
): string {
  if (updatePlan.isApproved !== true) return message
  return `${message}\nThe approved plan no longer fits. Request the deployment again, and approve its new plan.`
}

/** Reports each resource with planned steps that did not occur. Returns false if there is one. */
export function reportUnmetUpdatePlan(
  ports: Pick<DecisionPorts, 'emitter' | 'updatePlan'>,
  unmetUrns: readonly Urn[],
): boolean {
  const describe = (urn: Urn): string =>
    explainViolation(ports, `expected resource operations for ${urn} but none were seen`)
  emitDiagnostics(
    ports,
    unmetUrns.map(urn => ({ message: describe(urn), urn })),
  )
  return unmetUrns.length === 0
}

/**
 * Returns the resources with planned steps that have not occurred. The planned delete of a resource
 * that the base does not contain is not required.
 */
export function findUnmetUrns({ input, ports }: GeneratorContext): readonly Urn[] {
  const urns = new Set(input.base.snapshot.resources.map(state => state.urn))
  return ports.updatePlan.guard?.findUnmetUrns(urn => urns.has(urn)) ?? []
}

/**
 * Returns the URN of each planned step that a recorded decision used. A URN is repeated for each of
 * its steps.
 */
export function plannedUrnsOf(
  decision: RecordedDecision,
  { aliasingUrns }: Pick<GeneratorSets, 'aliasingUrns'>,
): readonly Urn[] {
  const operations = decision.kind === 'registration' ? decision.operations : [decision.operation]
  return operations.flatMap(operation => {
    const { op, urn: recordedUrn } = operation
    const urn = aliasingUrns.get(recordedUrn) ?? recordedUrn
    // Update plans have no steps for reads, imports, refreshes, joins and hooks.
    if (op.startsWith('read') || op.startsWith('import') || op === 'refresh') return []
    if (isJoinOrHook(operation)) return []
    // An update plan also contains the step `replace`, for which no operation is recorded.
    return op === 'create-replacement' ? [urn, urn] : [urn]
  })
}

function toProposedGoal(goal: Goal): ProposedGoal {
  const { type, name, custom, parent, provider, dependencies, propertyDependencies } = goal
  const { deleteBeforeReplace, ignoreChanges, additionalSecretOutputs, customTimeouts } = goal
  return {
    type,
    name,
    custom,
    parent,
    provider,
    dependencies,
    propertyDependencies,
    deleteBeforeReplace,
    ignoreChanges,
    additionalSecretOutputs,
    customTimeouts,
    protect: goal.protect ?? false,
    aliases: goal.aliases.map(toPlannedAlias),
    id: goal.importId,
  }
}

/** Returns the goal with which an old state would be registered unchanged. */
function toUnchangedGoal(old: ResourceState): ProposedGoal {
  const { type, custom, parent, provider, dependencies, propertyDependencies } = old
  const { additionalSecretOutputs, customTimeouts, protect } = old
  return {
    type,
    custom,
    parent,
    provider,
    dependencies,
    propertyDependencies,
    additionalSecretOutputs,
    customTimeouts,
    protect,
    name: nameOf(old.urn),
    deleteBeforeReplace: undefined,
    ignoreChanges: [],
    aliases: old.aliases.map(urn => toPlannedAlias({ kind: 'urn', urn })),
    id: '',
  }
}

const emptyAlias = {
  urn: '',
  name: '',
  type: '',
  project: '',
  stack: '',
  parent: '',
  noParent: false,
}

function toPlannedAlias(alias: Alias): typeof emptyAlias {
  if (alias.kind === 'urn') return { ...emptyAlias, urn: alias.urn }
  const { name = '', type = '', project = '', stack = '', parent } = alias
  return {
    ...emptyAlias,
    name,
    type,
    project,
    stack,
    parent: parent ?? '',
    noParent: parent === '',
  }
}
