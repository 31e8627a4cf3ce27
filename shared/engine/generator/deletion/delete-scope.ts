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
import { decided, type Result } from '../stage.ts'
import { isOperatedOn } from '../sets.ts'

/** Reports whether an unregistered state may be deleted, by its URN. */
export type DeleteScope = (urn: Urn) => boolean

/**
 * Returns the scope of the deletes at the end. With targets: the targets, all their dependents, and
 * the resources that would be replaced with them. With excludes: all but the excluded resources and
 * their dependencies; with `--exclude-dependents` also all but the dependents of these. Source:
 * docs/spec/step-generation.md#targets.
 */
export async function createDeleteScope(ctx: GeneratorContext): Promise<Result<DeleteScope>> {
  const { scope, base } = ctx.input
  const { targets, excludes, excludeDependents } = scope
  if (targets.isConstrained) {
    const allowed = new Set(collectDependents(base.graph, ({ urn }) => targets.has(urn)))
    const replaced = await findReplacedWith(ctx, allowed)
    if (replaced.kind === 'failed') return replaced
    for (const urn of replaced.value) allowed.add(urn)
    return decided(urn => allowed.has(urn))
  }
  if (excludes.isConstrained) {
    const isRoot = ({ urn }: ResourceState): boolean => excludes.has(urn)
    const kept = collectDependencies(base.graph, isRoot, { dependents: excludeDependents })
    return decided(urn => !kept.has(urn) || base.liveIndexOf(urn) === undefined)
  }
  return decided(() => true)
}

/** Largest number of dependents whose providers are called although no answer changes anything. */
const diffedDependentsMax = 1_000

/**
 * Returns the resources that are replaced if some others are. They are dependents and so in the
 * scope already; their diffs are requested all the same, as Pulumi requests them. The number of
 * diffs is limited, because it grows with the square of the dependents.
 */
async function findReplacedWith(
  ctx: GeneratorContext,
  urns: ReadonlySet<Urn>,
): Promise<Result<readonly Urn[]>> {
  const { graph } = ctx.input.base
  const { states, indicesOf } = graph
  const bound = states.filter(
    ({ deletedWith, replaceWith }) =>
      (deletedWith !== '' && urns.has(deletedWith)) || replaceWith.some(urn => urns.has(urn)),
  )
  const found = bound.map(({ urn }) => urn)
  let diffedCount = 0
  for (const index of [...urns].flatMap(indicesOf)) {
    if (diffedCount > diffedDependentsMax) break
    diffedCount += findDependents(graph, index, () => false).length
    const dependents = await findDependentReplacements(ctx, index)
    if (dependents.kind === 'failed') return dependents
    found.push(...dependents.value.map(({ urn }) => urn))
  }
  return decided(found)
}

/** Shows the unregistered states that stay because they are not in the scope. */
export function emitKeptStates(ctx: GeneratorContext, mayGo: DeleteScope): void {
  const { scope, base, sets } = ctx.input
  if (!scope.targets.isConstrained && !scope.excludes.isConstrained) return
  base.snapshot.resources.forEach((state, index) => {
    if (state.viewOf !== '' || mayGo(state.urn) || isOperatedOn(sets, state.urn)) return
    const old = base.trackedAt(index)
    emitStep(ctx.ports.emitter, stepOf({ op: 'same', effect: 'none', old, next: state }))
  })
}

/**
 * Refuses deletes of resources that are no targets themselves, unless `--target-dependents` is set
 * (error 2014); each one is reported. False when there are any; a preview continues. Source:
 * docs/spec/step-generation.md#deletes-at-the-end-of-the-program.
 */
export function areAllTargeted(
  { input, ports }: GeneratorContext,
  steps: readonly Pick<Step, 'urn'>[],
): boolean {
  const { targets, targetDependents } = input.scope
  if (targetDependents) return true
  const { formerUrns } = input.sets
  const others = steps.filter(
    ({ urn }) => !targets.has(urn) && !targets.has(formerUrns.get(urn) ?? urn),
  )
  const describe = (urn: Urn): string =>
    `Resource '${urn}' will be destroyed but was not specified in --target list.\n` +
    'Either include resource in --target list or pass --target-dependents to proceed.'
  emitDiagnostics(
    ports,
    others.map(({ urn }) => ({ message: describe(urn), urn })),
  )
  if (others.length > 0) ports.noteFailure()
  return others.length === 0
}

/**
 * Starts the providers of deletes that make no call, as Pulumi does. This applies to previews, to
 * refused deletes, and to resources that are protected or deleted without a call. A missing
 * provider ends the deployment.
 */
export async function startProviders(
  { ports }: GeneratorContext,
  steps: readonly Pick<Step, 'urn' | 'provider' | 'old'>[],
): Promise<Result<void>> {
  for (const { provider, urn, old } of steps) {
    if (old === undefined || provider === '') continue
    const started = await loadProvider(ports, old.state, urn)
    if (started.kind === 'failed') return started
  }
  return decided(undefined)
}
