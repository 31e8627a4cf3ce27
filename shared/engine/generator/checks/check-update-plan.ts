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
import { bail, type GeneratorContext } from '../context.ts'
import type { Goal } from '../registration/goal.ts'

/** The seed of the Checks of a resource: the planned one, so that chance falls as it did. */
export function chooseSeed(
  { updatePlan, randomSeed }: Pick<GeneratorContext, 'updatePlan' | 'randomSeed'>,
  urn: Urn,
): Uint8Array {
  return updatePlan.guard?.resourceOf(urn)?.seed ?? randomSeed()
}

/**
 * Notes what a checked registration comes to, and ends the deployment when the plan does not have
 * it so. `isFresh`: nothing of the old inputs is taken over. Source:
 * docs/spec/step-generation.md#update-plans.
 */
export function checkGoalAgainstPlan(
  ctx: GeneratorContext,
  claim: UrnClaim,
  input: {
    readonly goal: Goal
    readonly inputs: PropertyMap
    readonly seed: Uint8Array
    readonly isFresh: boolean
  },
): void {
  const { guard, draft } = ctx.updatePlan
  if (guard === undefined && draft === undefined) return
  const { inputs: news, seed } = input
  const proposed = proposedGoal(input.goal)
  const old = claim.old?.state
  const olds = old?.inputs ?? emptyMap
  draft?.recordGoal(claim.urn, proposed, { olds: input.isFresh ? emptyMap : olds, news, seed })
  if (guard === undefined) return
  const resource = guard.resourceOf(claim.urn)
  // What neither the plan nor the state knows is refused with its first step.
  if (resource === undefined && old === undefined) return
  const goal =
    resource === undefined && old !== undefined
      ? { ...goalOf(old), inputs: noDifference, outputs: noDifference }
      : resource?.goal
  failOnViolations(ctx, claim.urn, findGoalViolations(goal, proposed, { olds, news }))
}

/** As `planGoal` and `planSteps` of what is no target: it stays as it is, or is not made. */
export function checkUntargetedAgainstPlan(
  ctx: GeneratorContext,
  claim: UrnClaim,
  goal: Goal,
): void {
  const old = claim.old?.state
  const inputs = goal.custom ? (old?.inputs ?? emptyMap) : goal.inputs
  const input = { goal, inputs, seed: chooseSeed(ctx, claim.urn), isFresh: old === undefined }
  checkGoalAgainstPlan(ctx, claim, input)
  checkStepsAgainstPlan(ctx, [{ urn: claim.urn, op: 'same' }])
}

/**
 * Notes the steps of a registration, and ends the deployment at one that the plan does not have.
 */
export function checkStepsAgainstPlan(
  ctx: GeneratorContext,
  steps: readonly Pick<Step, 'urn' | 'op'>[],
): void {
  const { guard, draft } = ctx.updatePlan
  for (const step of steps) {
    const urn = ctx.sets.aliased.get(step.urn) ?? step.urn
    const violation = guard?.take(urn, step.op)
    if (violation !== undefined) bail(ctx, violation, urn)
    draft?.recordStep(urn, step.op)
  }
}

/** As `planSteps` for the deletes at the end, under their own names: all refused ones are told. */
export function checkDeletesAgainstPlan(ctx: GeneratorContext, steps: readonly Step[]): boolean {
  const { guard, draft } = ctx.updatePlan
  let isAdmitted = true
  for (const { urn, op } of steps) {
    draft?.recordStep(urn, op)
    const violation = guard?.take(urn, op)
    if (violation === undefined) continue
    ctx.emitter.report('error', violation, urn)
    isAdmitted = false
  }
  return isAdmitted
}

/**
 * Notes outputs that the program registered. Ends the deployment when the plan does not have them
 * so.
 */
export function checkOutputsAgainstPlan(ctx: GeneratorContext, urn: Urn, news: PropertyMap): void {
  const { guard, draft } = ctx.updatePlan
  if (guard === undefined && draft === undefined) return
  const index = ctx.base.liveIndexOf(urn)
  const olds = index === undefined ? emptyMap : ctx.base.trackedAt(index).state.outputs
  if (guard !== undefined) {
    const resource = guard.resourceOf(urn)
    if (resource === undefined) bail(ctx, `no plan for resource ${urn}`, urn)
    failOnViolations(ctx, urn, findOutputViolations(resource.goal, { olds, news }))
  }
  draft?.recordRegisteredOutputs(urn, olds, news)
}

function failOnViolations(ctx: GeneratorContext, urn: Urn, violations: readonly string[]): void {
  if (violations.length === 0) return
  bail(ctx, `resource ${urn} violates plan: ${violations.join('; ')}`, urn)
}

/** Tells each resource of which planned steps did not come; whether there was none. */
export function reportUnmet(
  ctx: Pick<GeneratorContext, 'emitter'>,
  unmet: readonly Urn[],
): boolean {
  for (const urn of unmet) {
    const message = `expected resource operations for ${urn} but none were seen`
    ctx.emitter.report('error', message, urn)
  }
  return unmet.length === 0
}

/** Resources of which planned steps did not come. */
export function findUnmet({ updatePlan, base }: GeneratorContext): readonly Urn[] {
  const urns = new Set(base.snapshot.resources.map(state => state.urn))
  return updatePlan.guard?.findUnmet(urn => urns.has(urn)) ?? []
}

/** Resources that steps of a recorded decision took from the plan, once for each step. */
export function plannedUrnsOf(
  decision: RecordedDecision,
  { aliased }: Pick<GeneratorContext['sets'], 'aliased'>,
): readonly Urn[] {
  const operations = decision.kind === 'registration' ? decision.operations : [decision.operation]
  return operations.flatMap(({ op, urn: named }) => {
    const urn = aliased.get(named) ?? named
    // What is read or imported is nothing that plans speak of.
    if (op.startsWith('read') || op.startsWith('import')) return []
    // The replacement itself is no operation, but a step of the plan.
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

/** What an old state would be registered with, were nothing to change. */
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
