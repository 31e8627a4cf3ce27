import type { OperationId } from '../../records/ids.ts'
import { emptyMap } from '../../values/value.ts'
import { boundOf } from '../deployment/at-once.ts'
import type { Base } from '../deployment/base.ts'
import { operationOf } from '../deployment/operations.ts'
import type { PlannedOperation } from '../deployment/hook-operations.ts'
import { followPlan, runPlan } from '../deployment/plan-run.ts'
import { createSealing, type Sealing } from '../deployment/sealing.ts'
import { Bail, type GeneratorContext } from '../generator/context.ts'
import { defaultPackages } from '../generator/default-packages.ts'
import { applyOutputs } from '../generator/generator.ts'
import { prepareImport, type ReadyImport } from '../generator/import-prepare.ts'
import { joinOf, placesOf } from '../generator/plan-places.ts'
import { createPreviewRunner } from '../generator/preview-runner.ts'
import { barriersBetween, slicesOf } from '../graph/barriers.ts'
import type { Step } from '../step.ts'
import type { CommandDeps } from './command-deps.ts'
import { contextOf } from './command-context.ts'
import type { Life } from './life.ts'
import { previewDepsOf } from './preview-deps.ts'
import { recordedPlan } from './recorded-plan.ts'

/**
 * `import`: adopts what exists, each resource once its parent is there. The first failure ends it.
 * Source: docs/spec/deployment.md#import-deployment.
 */
export async function deployImport(deps: CommandDeps, base: Base): Promise<boolean> {
  const { ctx } = contextOf(deps, base)
  const { steps, madeStack } = await readyFor(deps.life, ctx)
  const known = recordedPlan(deps, base, 'imports')
  const planned = known ?? planImports(steps, { ...deps, ...boundOf(deps.pin) })
  const plan = { planned, isStoppedByFailure: true }
  const run = (): Promise<{ readonly isWhole: boolean }> =>
    known === undefined ? runPlan(deps, 'imports', plan) : followPlan(deps, plan)
  const isWhole = planned.length === 0 || (await run()).isWhole
  if (isWhole && madeStack !== undefined) await applyOutputs(ctx, madeStack, emptyMap)
  return isWhole
}

/** Tells what an import would adopt; reads it, changes nothing (I11). */
export async function previewImport(life: Life, base: Base): Promise<boolean> {
  const ctx = life.contextOf(base, createPreviewRunner(previewDepsOf(life), base))
  try {
    const { steps } = await readyFor(life, ctx)
    for (const step of steps) {
      const [ended] = await ctx.runner.run({ urn: step.urn, goal: '', steps: [step], sets: {} })
      if (ended?.end.verdict !== 'succeeded') return false
    }
    return true
  } catch (thrown) {
    // It was told already.
    if (thrown instanceof Bail) return false
    throw thrown
  }
}

async function readyFor(life: Life, ctx: GeneratorContext): Promise<ReadyImport> {
  const { request } = life
  const required = defaultPackages(await life.requiredPackages(), ctx.base.snapshot.resources)
  const open = createSealing(request.secrets).openMap
  return prepareImport(ctx, request.options.imports ?? [], {
    config: request.config,
    required,
    open,
  })
}

/**
 * Imports as operations: a child waits for its parent; at most `atOnce` run, where that is said.
 */
function planImports(
  steps: readonly Step[],
  deps: {
    readonly sealing: Sealing
    readonly nextId: () => OperationId
    readonly atOnce?: number
  },
): readonly PlannedOperation[] {
  const { sealing, nextId, atOnce = Infinity } = deps
  const byUrn = new Map(steps.map(step => [step.urn as string, step]))
  const children = new Map<string, string[]>()
  const depths = new Map<string, number>()
  const waves: string[][] = []
  for (const { urn, next } of steps) {
    const parent = next?.parent ?? ''
    const above = depths.get(parent)
    const depth = above === undefined ? 0 : above + 1
    depths.set(urn, depth)
    ;(waves[depth] ??= []).push(urn)
    if (above !== undefined) children.set(parent, [...(children.get(parent) ?? []), urn])
  }
  const nodes = steps.map(({ urn }) => ({ key: urn, releases: children.get(urn) ?? [] }))
  const isBounded = steps.length > atOnce
  const slices = isBounded ? waves.flatMap(wave => slicesOf(wave, atOnce)) : []
  const waiting = isBounded ? 'for whole waves' : 'for dependents'
  return placesOf(nodes, { barriers: barriersBetween(slices), waiting, nextId }).map(
    ({ key, place }): PlannedOperation => {
      const step = byUrn.get(key)
      if (step === undefined) return { operation: joinOf(place), step }
      return { operation: operationOf(step, place, sealing), step }
    },
  )
}
