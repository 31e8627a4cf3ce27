import fc from 'fast-check'
import { childUrnOf, urnPartsOf, type Urn } from '../../shared/names/urn.ts'
import { type Base, createBase } from '../../shared/engine/deployment/state/base.ts'
import { Bail, type GeneratorContext } from '../../shared/engine/generator/context.ts'
import {
  areAllTargeted,
  createDeleteScope,
  emitKeptStates,
} from '../../shared/engine/generator/deletion/delete-scope.ts'
import { findCondemnedSteps } from '../../shared/engine/generator/deletion/condemned-steps.ts'
import { generate } from '../../shared/engine/generator/generate.ts'
import type { Goal } from '../../shared/engine/generator/registration/goal.ts'
import { scopeOf } from '../../shared/engine/generator/targets/scope.ts'
import { createSets } from '../../shared/engine/generator/sets.ts'
import { noDiff } from '../../shared/providers/provider.ts'
import { successEndOf } from '../../shared/engine/step-end.ts'
import type { Step } from '../../shared/engine/step.ts'
import type { OperationId } from '../../shared/records/ids.ts'
import type { Targeting } from '../../shared/records/log.ts'
import { type ResourceState, createResourceState } from '../../shared/state/resource.ts'
import { emptySnapshot } from '../../shared/state/snapshot.ts'
import type { PropertyMap } from '../../shared/values/value.ts'

/** A resource as it was and as the program has it now; numbers name earlier ones. */
export interface TargetNode {
  readonly urn: Urn
  readonly name: string
  readonly type: string
  readonly parent: Urn | ''
  readonly provider: string
  readonly fate: 'same' | 'changed' | 'replaced' | 'dropped' | 'new'
  readonly dependencies: readonly Urn[]
}

/** A stack, a program that differs from it, and what a deployment of it is about. */
export interface TargetCase {
  readonly nodes: readonly TargetNode[]
  readonly targeting: Targeting
}

const drawnNode = fc.record({
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constant('plain' as const) },
    { weight: 1, arbitrary: fc.constantFrom('component' as const, 'provider' as const) },
  ),
  parent: fc.option(fc.nat(), { nil: undefined, freq: 2 }),
  provider: fc.nat(),
  fate: fc.constantFrom<TargetNode['fate']>('same', 'changed', 'replaced', 'dropped', 'new'),
  dependencies: fc.array(fc.nat(), { maxLength: 2 }),
})

const [component, providerType, plain] = ['test:m:Box', 'pulumi:providers:test', 'test:m:Thing']
const idOf = (name: string): string => `id-${name}`

/** Nodes in lawful order; the first is a provider that everything plain may use. */
const nodes: fc.Arbitrary<readonly TargetNode[]> = fc
  .array(drawnNode, { minLength: 2, maxLength: 9 })
  .map(all => {
    const made: TargetNode[] = [nodeOf('p', providerType)]
    for (const [at, one] of all.entries()) {
      const boxes = made.filter(node => node.type === component)
      const providers = made.filter(node => node.type === providerType && node.fate === 'same')
      const type = { plain, component, provider: providerType }[one.kind]
      const above = one.parent === undefined ? undefined : boxes[one.parent % boxes.length]
      const own = providers[one.provider % providers.length] ?? made[0]
      // A provider is as it was: what becomes of its resources is another property.
      const fate = one.kind === 'provider' ? 'same' : one.fate
      const isOrphan = above !== undefined && ['dropped', 'new'].includes(above.fate)
      made.push({
        ...nodeOf(`r${at}`, type, above?.urn),
        fate: isOrphan ? (above?.fate ?? fate) : fate,
        provider: one.kind === 'plain' && own !== undefined ? `${own.urn}::${idOf(own.name)}` : '',
        dependencies:
          one.kind === 'provider'
            ? []
            : [...new Set(one.dependencies.map(to => made[to % made.length]?.urn ?? ('' as Urn)))],
      })
    }
    return made
  })

function nodeOf(name: string, type = plain, parent: Urn | '' = ''): TargetNode {
  const above = parent === '' ? undefined : urnPartsOf(parent).qualifiedType
  const urn = childUrnOf({ stack: 'dev', project: 'shop' }, above, { type, name })
  return { urn, name, type, parent, provider: '', fate: 'same', dependencies: [] }
}

/** Cases with some of their URNs as targets, or left out. */
export const targetCases: fc.Arbitrary<TargetCase> = fc
  .record({
    nodes,
    named: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
    isExclude: fc.boolean(),
    hasDependents: fc.boolean(),
  })
  .map(({ nodes: all, named, isExclude, hasDependents }) => {
    const urns = named.map(at => all[at % all.length]?.urn ?? '')
    const targeting = {
      targets: isExclude ? [] : urns,
      excludes: isExclude ? urns : [],
      replaces: [],
      targetDependents: hasDependents && !isExclude,
      excludeDependents: hasDependents && isExclude,
      excludeProtected: false,
    }
    return { nodes: all, targeting }
  })

const inputsOf = (entries: Record<string, number>): PropertyMap => new Map(Object.entries(entries))

/** The stack as it was. */
export function oldStatesOf({ nodes: all }: Pick<TargetCase, 'nodes'>): readonly ResourceState[] {
  const olds = all.filter(({ fate }) => fate !== 'new')
  const known = new Set(olds.map(({ urn }) => urn))
  return olds.map(node =>
    createResourceState({
      urn: node.urn,
      type: node.type,
      custom: node.type !== component,
      id: node.type === component ? '' : idOf(node.name),
      parent: node.parent,
      provider: node.provider,
      dependencies: node.dependencies.filter(urn => known.has(urn)),
      inputs: inputsOf({ v: 1 }),
      outputs: inputsOf({ v: 1 }),
    }),
  )
}

function goalOf(node: TargetNode, registered: ReadonlySet<Urn>): Goal {
  const { name, type, parent, provider, fate } = node
  return {
    ...{ name, type, parent, provider, custom: type !== component, aliases: [] },
    inputs: inputsOf(
      fate === 'changed' ? { v: 2 } : fate === 'replaced' ? { v: 1, replace: 1 } : { v: 1 },
    ),
    dependencies: node.dependencies.filter(urn => registered.has(urn)),
    ...{ protect: undefined, retainOnDelete: undefined, deletedWith: '', stackTrace: [] },
    ...{ propertyDependencies: new Map(), deleteBeforeReplace: undefined, ignoreChanges: [] },
    ...{ replaceOnChanges: [], additionalSecretOutputs: [], hideDiff: [], customTimeouts: {} },
    ...{ replaceWith: [], replacementTrigger: null, importId: '', sourcePosition: '' },
    resourceHooks: new Map(),
  }
}

/** What was decided: steps in order, deletes at the end apart, errors that were told. */
export interface TargetDecisions {
  readonly base: Base
  readonly steps: readonly Step[]
  readonly deletes: readonly Step[]
  /** Of the unchanged ones those that are written: something that is no input differs. */
  readonly written: readonly Step[]
  readonly errors: readonly string[]
}

/** Decides about a program as the engine does, with a provider that everything succeeds with. */
export async function decideTargets(drawn: TargetCase, program: boolean): Promise<TargetDecisions> {
  const base = createBase({ ...emptySnapshot, resources: oldStatesOf(drawn) }, 1)
  const decided = { steps: [] as Step[], written: [] as Step[], errors: [] as string[] }
  const ctx = contextOf(drawn, base, decided)
  const deletes: Step[] = []
  try {
    const registered = new Set<Urn>()
    for (const node of program ? drawn.nodes : []) {
      if (node.fate === 'dropped') continue
      await generate(ctx, goalOf(node, registered))
      registered.add(node.urn)
    }
    const mayGo = await createDeleteScope(ctx)
    const found = findCondemnedSteps(ctx, mayGo).map(({ step }) => step)
    if (areAllTargeted(ctx, found)) {
      emitKeptStates(ctx, mayGo)
      deletes.push(...found)
    }
  } catch (thrown) {
    if (!(thrown instanceof Bail)) throw thrown
  }
  return { base, deletes, ...decided }
}

function contextOf(
  { targeting }: TargetCase,
  base: Base,
  decided: { readonly steps: Step[]; readonly written: Step[]; readonly errors: string[] },
): GeneratorContext {
  let last = 0
  const createTracked = (state: ResourceState) => ({
    state,
    ref: { kind: 'operation' as const, operation: (last += 1) as OperationId },
  })
  const provider = {
    check: (ask: { readonly news: PropertyMap }) => ({ inputs: ask.news, failures: [] }),
    checkConfig: (ask: { readonly news: PropertyMap }) => ({ inputs: ask.news, failures: [] }),
    diff: ({ oldInputs, newInputs }: Record<'oldInputs' | 'newInputs', PropertyMap>) => {
      const keys = [...newInputs.keys()].filter(key => newInputs.get(key) !== oldInputs.get(key))
      const replaceKeys = keys.filter(key => key === 'replace')
      return keys.length === 0
        ? noDiff
        : { ...noDiff, changes: 'some', changedKeys: keys, replaceKeys }
    },
    diffConfig: () => noDiff,
    isUnconfigured: () => false,
  }
  const context = {
    ...{ stack: 'dev', project: 'shop', preview: false, continueOnError: false },
    ...{
      isDestroying: false,
      refreshing: undefined,
      trustsInputs: false,
      outputsOnly: false,
      ignoreProtect: false,
      autonaming: undefined,
    },
    ...{ updatePlan: { guard: undefined, draft: undefined }, analyzers: [] },
    ...{ base, sets: createSets(), scope: scopeOf(targeting, base), replay: undefined },
    runner: {
      run: ({ steps }: { readonly steps: readonly Step[] }) => {
        decided.steps.push(...steps)
        return steps.map(step => ({
          step,
          end: successEndOf(step.next),
          tracked: step.next === undefined ? undefined : createTracked(step.next),
        }))
      },
      settle: ({ step, state }: { readonly step: Step; readonly state: ResourceState }) => {
        if (step.op !== 'same') decided.steps.push(step)
        else decided.written.push({ ...step, next: state })
        return createTracked(state)
      },
    },
    providers: {
      ...{ keepUnconfigured: () => provider, getUnconfigured: () => provider },
      getInstance: () => provider,
      ...{ configure: () => undefined, isRegistered: () => true, alias: () => undefined },
    },
    emitter: {
      emitBegin: (step: Step) => {
        if (step.op === 'same') decided.steps.push(step)
      },
      ...{ emitEnd: () => undefined, count: () => undefined },
      report: (severity: string, message: string) => {
        if (severity === 'error') decided.errors.push(message)
      },
    },
    ...{ randomSeed: () => new Uint8Array(), uuid: () => 'id-new', timestamp: () => '' },
    decideInTurn: <T>(decision: () => T) => decision(),
    ...{ abort: () => undefined, isAborted: () => false, aborted: new Promise(() => undefined) },
    ...{ noteFailure: () => undefined, goalDigestOf: () => '', callDigestOf: () => '' },
  }
  return context as unknown as GeneratorContext
}
