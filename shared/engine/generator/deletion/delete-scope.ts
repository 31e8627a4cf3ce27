import type { Urn } from '../../../names/urn.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { emitStep } from '../../events/emit-step.ts'
import { collectDependencies, collectDependents } from '../../graph/closures.ts'
import { findDependents } from '../../graph/dependencies.ts'
import { type Step, stepOf } from '../../step.ts'
import { type GeneratorContext, loadProvider } from '../context.ts'
import { findDependentReplacements } from '../changes/plan-replacement.ts'
import { isOperatedOn } from '../sets.ts'

/** Which of the states that nobody wants may be deleted, by URN. */
export type DeleteScope = (urn: Urn) => boolean

/**
 * What the end of a deployment may delete. With targets: these, all that depends on them, and what
 * would be replaced with them. With excludes: all but these and what they stand on, with
 * `--exclude-dependents` also what stands on any of them. Source:
 * docs/spec/step-generation.md#targets.
 */
export async function createDeleteScope(ctx: GeneratorContext): Promise<DeleteScope> {
  const { scope, base } = ctx
  const { targets, excludes, excludeDependents } = scope
  if (targets.isConstrained) {
    const allowed = new Set(collectDependents(base.graph, ({ urn }) => targets.has(urn)))
    for (const urn of await findReplacedWith(ctx, allowed)) allowed.add(urn)
    return urn => allowed.has(urn)
  }
  if (excludes.isConstrained) {
    const isRoot = ({ urn }: ResourceState): boolean => excludes.has(urn)
    const kept = collectDependencies(base.graph, isRoot, { dependents: excludeDependents })
    return urn => !kept.has(urn) || base.liveIndexOf(urn) === undefined
  }
  return () => true
}

/** Most dependents of which their providers are asked although no answer changes anything. */
const diffedDependentsMax = 1_000

/**
 * What would have to be replaced if some resources were. It depends on them and is thus among them
 * already; providers are asked for their differences all the same, as Pulumi asks them, but not of
 * each by everything that it depends on where there are many: that grows with their square.
 */
async function findReplacedWith(
  ctx: GeneratorContext,
  urns: ReadonlySet<Urn>,
): Promise<readonly Urn[]> {
  const { states, indicesOf } = ctx.base.graph
  const bound = states.filter(
    ({ deletedWith, replaceWith }) =>
      (deletedWith !== '' && urns.has(deletedWith)) || replaceWith.some(urn => urns.has(urn)),
  )
  const found = bound.map(({ urn }) => urn)
  let diffedCount = 0
  for (const index of [...urns].flatMap(indicesOf)) {
    if (diffedCount > diffedDependentsMax) break
    diffedCount += findDependents(ctx.base.graph, index, () => false).length
    const dependents = await findDependentReplacements(ctx, index)
    found.push(...dependents.flatMap(dependent => states[dependent.at]?.urn ?? []))
  }
  return found
}

/** Tells of the states that stay because they are no targets, and that nobody registered. */
export function emitKeptStates(ctx: GeneratorContext, mayGo: DeleteScope): void {
  const { scope, base, sets } = ctx
  if (!scope.targets.isConstrained && !scope.excludes.isConstrained) return
  base.snapshot.resources.forEach((state, index) => {
    if (state.viewOf !== '' || mayGo(state.urn) || isOperatedOn(sets, state.urn)) return
    const old = base.trackedAt(index)
    emitStep(ctx.emitter, stepOf({ op: 'same', effect: 'none', old, next: state }))
  })
}

/**
 * Refuses deletes of what is no target by itself, unless dependents of targets are meant too (error
 * 2014): all of them are named. False when there are any; a preview goes on. Source:
 * docs/spec/step-generation.md#deletes-at-the-end-of-the-program.
 */
export function areAllTargeted(
  ctx: GeneratorContext,
  steps: readonly Pick<Step, 'urn'>[],
): boolean {
  const { targets, targetDependents } = ctx.scope
  if (targetDependents) return true
  const { formerUrns } = ctx.sets
  const others = steps.filter(
    ({ urn }) => !targets.has(urn) && !targets.has(formerUrns.get(urn) ?? urn),
  )
  for (const { urn } of others)
    ctx.emitter.report(
      'error',
      `Resource '${urn}' will be destroyed but was not specified in --target list.\n` +
        'Either include resource in --target list or pass --target-dependents to proceed.',
      urn,
    )
  if (others.length > 0) ctx.noteFailure()
  return others.length === 0
}

/**
 * Starts the providers of what is to be deleted where nobody will call them, as Pulumi does: in a
 * preview, when the deletes are refused, for what is protected or goes without a call. One that
 * cannot be had ends the deployment.
 */
export async function startProviders(
  ctx: GeneratorContext,
  steps: readonly Pick<Step, 'urn' | 'provider' | 'old'>[],
): Promise<void> {
  for (const { provider, urn, old } of steps)
    if (old !== undefined && provider !== '') await loadProvider(ctx, old.state, urn)
}
