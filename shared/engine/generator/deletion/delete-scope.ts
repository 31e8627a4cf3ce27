import type { Urn } from '../../../names/urn.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { emitStep } from '../../events/emit-step.ts'
import { collectDependencies, collectDependents } from '../../graph/closures.ts'
import { findDependents } from '../../graph/dependencies.ts'
import { type Step, stepOf } from '../../step.ts'
import type { GeneratorContext } from '../context.ts'
import { emitDiagnostics } from '../finish-stage.ts'
import { findDependentReplacements } from '../changes/find-dependents.ts'
import { loadProvider } from '../providers/load-provider.ts'
import { toDecided, type Result } from '../stage.ts'
import { isUrnHandled } from '../sets.ts'

/** A function that reports whether the state of a URN may be deleted. */
export type DeleteScope = (urn: Urn) => boolean

/**
 * Returns the scope of the deletes at the end of the program. With targets: the targets, all their
 * dependents, and the resources that would be replaced with them. With excludes: all except the
 * excluded resources and their dependencies. `--exclude-dependents` also excludes the dependents.
 * Excludes never keep a URN that has only old copies. Source:
 * docs/spec/step-generation.md#targets.
 */
export async function createDeleteScope(ctx: GeneratorContext): Promise<Result<DeleteScope>> {
  const { scope, base } = ctx.input
  const { targets, excludes, excludeDependents } = scope
  if (targets.isConstrained) {
    const allowedUrns = new Set(collectDependents(base.graph, ({ urn }) => targets.has(urn)))
    const replacedResult = await findReplacedDependents(ctx, allowedUrns)
    if (replacedResult.kind === 'failed') return replacedResult
    for (const urn of replacedResult.value) allowedUrns.add(urn)
    return toDecided(urn => allowedUrns.has(urn))
  }
  if (excludes.isConstrained) {
    const isRoot = ({ urn }: ResourceState): boolean => excludes.has(urn)
    const keptUrns = collectDependencies(base.graph, isRoot, {
      mustIncludeDependents: excludeDependents,
    })
    return toDecided(urn => !keptUrns.has(urn) || base.liveIndexOf(urn) === undefined)
  }
  return toDecided(() => true)
}

/**
 * Number of dependents after which no further diffs are requested. Without these diffs the result
 * is the same, because the scope already contains all dependents.
 */
const diffedDependentsMax = 1_000

/**
 * Returns the resources that would be replaced together with the resources of `urns`. The scope
 * already contains them as dependents of targets, but Pulumi requests their diffs too. The number
 * of diffs is limited, because it grows with the square of the number of dependents.
 */
async function findReplacedDependents(
  ctx: GeneratorContext,
  urns: ReadonlySet<Urn>,
): Promise<Result<readonly Urn[]>> {
  const { graph } = ctx.input.base
  const { states, indicesOf } = graph
  const optionDependents = states.filter(
    ({ deletedWith, replaceWith }) =>
      (deletedWith !== '' && urns.has(deletedWith)) || replaceWith.some(urn => urns.has(urn)),
  )
  const replacedUrns = optionDependents.map(({ urn }) => urn)
  let diffedCount = 0
  for (const index of [...urns].flatMap(indicesOf)) {
    if (diffedCount > diffedDependentsMax) break
    diffedCount += findDependents(graph, index, () => false).length
    const dependentsResult = await findDependentReplacements(ctx, index)
    if (dependentsResult.kind === 'failed') return dependentsResult
    replacedUrns.push(...dependentsResult.value.map(({ urn }) => urn))
  }
  return toDecided(replacedUrns)
}

/** Emits a `same` step for each unregistered state that stays because it is not in the scope. */
export function emitKeptStates(ctx: GeneratorContext, mayDelete: DeleteScope): void {
  const { scope, base, sets } = ctx.input
  if (!scope.targets.isConstrained && !scope.excludes.isConstrained) return
  base.snapshot.resources.forEach((state, index) => {
    if (state.viewOf !== '' || mayDelete(state.urn) || isUrnHandled(sets, state.urn)) return
    const old = base.trackedStateAt(index)
    emitStep(ctx.ports.emitter, stepOf({ op: 'same', effect: 'none', old, next: state }))
  })
}

/**
 * Reports whether all deletes are allowed. Without targets or with `--target-dependents`, all are.
 * Otherwise only targets may be deleted. Every other delete is reported (Pulumi's diagnostic 2014),
 * and the deployment counts as failed. Source:
 * docs/spec/step-generation.md#deletes-at-the-end-of-the-program.
 */
export function reportUntargetedDeletes(
  { input, ports }: GeneratorContext,
  steps: readonly Pick<Step, 'urn'>[],
): boolean {
  const { targets, targetDependents } = input.scope
  if (targetDependents) return true
  const { formerUrns } = input.sets
  const untargetedSteps = steps.filter(
    ({ urn }) => !targets.has(urn) && !targets.has(formerUrns.get(urn) ?? urn),
  )
  const describe = (urn: Urn): string =>
    `Resource '${urn}' will be destroyed but was not specified in --target list.\n` +
    'Either include resource in --target list or pass --target-dependents to proceed.'
  emitDiagnostics(
    ports,
    untargetedSteps.map(({ urn }) => ({ message: describe(urn), urn })),
  )
  if (untargetedSteps.length > 0) ports.markFailed()
  return untargetedSteps.length === 0
}

/**
 * Starts the providers of deletes that make no provider call, as Pulumi does. Such a delete is
 * previewed or refused, is blocked by protection, or needs no call. A missing provider ends the
 * deployment.
 */
export async function startProviders(
  { ports }: GeneratorContext,
  steps: readonly Pick<Step, 'urn' | 'provider' | 'old'>[],
): Promise<Result<void>> {
  for (const { provider, urn, old } of steps) {
    if (old === undefined || provider === '') continue
    const providerResult = await loadProvider(ports, old.state, urn)
    if (providerResult.kind === 'failed') return providerResult
  }
  return toDecided(undefined)
}
