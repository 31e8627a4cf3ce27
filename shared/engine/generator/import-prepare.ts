import { isProviderType, providerTypeOf, referenceOf } from '../../names/provider-reference.ts'
import { nameOf, stackType, type Urn } from '../../names/urn.ts'
import type { ImportedResource } from '../../records/import.ts'
import { resourceState } from '../../state/resource.ts'
import type { JsonObject } from '../../values/stored.ts'
import { emptyMap, type PropertyMap } from '../../values/value.ts'
import type { ConfigValue } from '../request.ts'
import { type Step, stepOf } from '../step.ts'
import { failed, succeeded } from '../step-end.ts'
import { Bail, bail, type GeneratorContext } from './context.ts'
import { carryOut, useProvider } from './carry-out.ts'
import { reportFailures } from './check-failures.ts'
import { draftOf } from './claim.ts'
import { driverFor } from './driver.ts'
import { generate } from './generate.ts'
import { emptyGoal, type Goal } from './goal.ts'
import {
  type ImportAbout,
  mistakeIn,
  type NeededProvider,
  neededProviders,
  type Placed,
  placedImports,
} from './import-plan.ts'
import { withRef } from '../../providers/package-request.ts'
import { withPlugin } from '../../providers/provider-inputs.ts'
import { configInputs, extend } from './provider-resolution.ts'
import { replayed } from './replayed.ts'
import type { CurrentState } from './sets.ts'

/** What an import needs besides its context. `open`: of what a person supplied. */
export interface ImportDeps extends Pick<ImportAbout, 'required'> {
  readonly config: ReadonlyMap<string, ConfigValue>
  readonly open: (sealed: JsonObject) => PropertyMap
}

/** An import that is ready: its steps, each after its parent's. */
export interface ReadyImport {
  readonly steps: readonly Step[]
  /** The stack's own resource, where the import made it. */
  readonly madeStack: CurrentState | undefined
}

/**
 * Everything before the imports themselves: what the state has is told as unchanged, the stack and
 * the providers that are missing are made. Throws `Bail` after a mistake was told. Source:
 * docs/spec/deployment.md#import-deployment.
 */
export async function prepareImport(
  ctx: GeneratorContext,
  asked: readonly ImportedResource[],
  deps: ImportDeps,
): Promise<ReadyImport> {
  const { base, sets } = ctx
  const live = (urn: Urn): CurrentState['state'] | undefined => {
    const index = base.live(urn)
    return index === undefined ? undefined : base.tracked(index).state
  }
  const about = { stack: ctx.stack, project: ctx.project, live, required: deps.required }
  const mistake = mistakeIn(asked, about)
  if (mistake !== undefined) bail(ctx, mistake)
  await tellExisting(ctx)
  const there = base.snapshot.resources.find(
    state => state.type === stackType && state.parent === '' && !state.delete,
  )
  const madeStack = there === undefined ? await generate(ctx, stackGoal(ctx)) : undefined
  const stackUrn = there?.urn ?? madeStack?.state.urn
  if (stackUrn === undefined) throw new TypeError('a stack was found or made')
  for (const needed of neededProviders(asked, about)) await makeProvider(ctx, needed, deps)
  const references = (urn: Urn): string => {
    const id = live(urn)?.id ?? sets.current.get(urn)?.state.id
    if (id === undefined) throw new TypeError(`the provider ${urn} was found or made`)
    return referenceOf(urn, id)
  }
  for (const { extension } of asked) if (extension !== undefined) extend(ctx, withRef(extension))
  const placed = placedImports(asked, about, stackUrn)
  refuse(
    ctx,
    placed.map(one => [one, stepFor(one, references, deps)] as const),
  )
  return { steps: placed.map(one => stepFor(one, references, deps)), madeStack }
}

/** Tells all that the state has as unchanged; providers are ready for what is imported then. */
async function tellExisting(ctx: GeneratorContext): Promise<void> {
  for (const [index, state] of ctx.base.snapshot.resources.entries()) {
    if (state.delete) continue
    const old = ctx.base.tracked(index)
    const step = stepOf({ op: 'same', effect: 'none', old, next: state })
    ctx.emitter.pre(step)
    try {
      if (isProviderType(state.type)) await useProvider(ctx, state, state.inputs)
    } catch (thrown) {
      bail(ctx, thrown instanceof Error ? thrown.message : String(thrown), state.urn)
    }
    ctx.sets.current.set(state.urn, { ...old, op: 'same' })
    ctx.emitter.ended(step, succeeded(state))
    ctx.emitter.count(step, succeeded(state))
  }
}

function stackGoal({ project, stack }: GeneratorContext): Goal {
  return { ...emptyGoal, type: stackType, name: `${project}-${stack}`, custom: false }
}

/**
 * A provider as it was given, after its plugin has looked at that: of the answer only failures
 * count, as in the original.
 */
async function makeProvider(
  ctx: GeneratorContext,
  { urn, parent, plugin, inputs }: NeededProvider,
  { config, open }: ImportDeps,
): Promise<void> {
  const given =
    inputs === 'config'
      ? configInputs(plugin.pkg, config)
      : inputs === undefined
        ? emptyMap
        : open(inputs)
  const type = providerTypeOf(plugin.pkg)
  const name = nameOf(urn)
  const goal = { ...emptyGoal, type, name, parent, inputs: withPlugin(given, plugin) }
  const claim = { urn, old: undefined, index: undefined, alias: undefined }
  ctx.sets.goals.set(urn, goal)
  const known = await replayed(ctx, claim, ctx.digestOf(goal))
  if (known !== undefined) {
    ctx.sets.current.set(urn, known)
    return
  }
  const next = draftOf(goal, claim)
  const seed = ctx.randomSeed()
  try {
    const driver = await driverFor(ctx, next)
    const checked = await driver.check?.(undefined, goal.inputs, seed)
    const failures = checked?.failures ?? []
    if (failures.length > 0) {
      reportFailures(ctx.emitter, { urn, type, name }, failures, goal.inputs)
      ctx.abort()
      throw new Bail()
    }
    const candidate = { goal, claim, driver, next, compared: goal.inputs, seed }
    await carryOut(ctx, candidate, [stepOf({ op: 'create', effect: 'add', next })])
  } catch (thrown) {
    if (thrown instanceof Bail) throw thrown
    bail(ctx, thrown instanceof Error ? thrown.message : String(thrown), urn)
  }
}

function stepFor(
  { asked, urn, parent, provider }: Placed,
  references: (urn: Urn) => string,
  { open }: ImportDeps,
): Step {
  const next = resourceState({
    urn,
    type: asked.type,
    custom: asked.component === 'no',
    parent,
    protect: asked.protect,
    importID: asked.id,
    provider: provider === '' ? '' : references(provider),
    extensionRef: asked.extension === undefined ? '' : withRef(asked.extension).ref,
    ...(asked.inputs === undefined ? {} : { inputs: open(asked.inputs) }),
    ...(asked.outputs === undefined ? {} : { outputs: open(asked.outputs) }),
  })
  const planned = asked.isChosen ? 'chosen' : 'whole'
  return stepOf({ op: 'import', effect: 'add', next, planned, skipCall: !next.custom })
}

/** Tells each import that cannot be; then nothing is imported, for which would be chance. */
function refuse(ctx: GeneratorContext, ready: readonly (readonly [Placed, Step])[]): void {
  const refused = ready.filter(([{ refusal }]) => refusal !== undefined)
  for (const [{ refusal = '' }, step] of refused) {
    ctx.emitter.pre(step)
    ctx.emitter.ended(step, failed({ message: refusal, status: 'ok' }))
  }
  if (refused.length === 0) return
  ctx.noteFailure()
  ctx.abort()
  throw new Bail()
}
