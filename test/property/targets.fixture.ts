import fc from 'fast-check'
import { childUrnOf, urnPartsOf, type Urn } from '../../shared/names/urn.ts'
import { type Base, createBase } from '../../shared/engine/deployment/state/base.ts'
import type { GeneratorContext } from '../../shared/engine/generator/context.ts'
import { Bail, unwrap } from '../../shared/engine/generator/finish-stage.ts'
import {
  areAllTargeted,
  createDeleteScope,
  emitKeptStates,
} from '../../shared/engine/generator/deletion/delete-scope.ts'
import { findCondemnedSteps } from '../../shared/engine/generator/deletion/condemned-steps.ts'
import { registerResource } from '../../shared/engine/generator/registration/register-resource.ts'
import type { Goal } from '../../shared/engine/generator/registration/goal.ts'
import { scopeOf } from '../../shared/engine/generator/targets/scope.ts'
import { createSets, reduceSets } from '../../shared/engine/generator/reduce-sets.ts'
import type { SetsDelta } from '../../shared/engine/generator/sets-delta.ts'
import { noDiff } from '../../shared/providers/provider.ts'
import { successEndOf } from '../../shared/engine/step-end.ts'
import type { Step } from '../../shared/engine/step.ts'
import type { OperationId } from '../../shared/records/ids.ts'
import type { Targeting } from '../../shared/records/log.ts'
import { type ResourceState, createResourceState } from '../../shared/state/resource.ts'
import { emptySnapshot } from '../../shared/state/snapshot.ts'
import type { PropertyMap } from '../../shared/values/value.ts'

/** The old and new form of a resource. References are to earlier resources. */
export interface TargetNode {
  readonly urn: Urn
  readonly name: string
  readonly type: string
  readonly parent: Urn | ''
  readonly provider: string
  readonly fate: 'same' | 'changed' | 'replaced' | 'dropped' | 'new'
  readonly dependencies: readonly Urn[]
}

/** A stack, a changed program, and the targets of a deployment. */
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

/** Resources in a valid order. The first is a provider that every plain one may use. */
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
      // A provider is unchanged: another property covers the effects on its resources.
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

/** Cases with some of their URNs as targets or excludes. */
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

/** Returns the initial states of the stack. */
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

/** The decisions: steps in order, final deletes, and reported errors. */
export interface TargetDecisions {
  readonly base: Base
  readonly steps: readonly Step[]
  readonly deletes: readonly Step[]
  /** Unchanged resources that are written because a field other than the inputs differs. */
  readonly written: readonly Step[]
  readonly errors: readonly string[]
}

/** Decides about a program like the engine, with a provider whose calls all succeed. */
export async function decideTargets(drawn: TargetCase, program: boolean): Promise<TargetDecisions> {
  const base = createBase({ ...emptySnapshot, resources: oldStatesOf(drawn) }, 1)
  const decided = { steps: [] as Step[], written: [] as Step[], errors: [] as string[] }
  const ctx = contextOf(drawn, base, decided)
  const deletes: Step[] = []
  try {
    const registered = new Set<Urn>()
    for (const node of program ? drawn.nodes : []) {
      if (node.fate === 'dropped') continue
      unwrap(ctx, await registerResource(ctx, goalOf(node, registered)))
      registered.add(node.urn)
    }
    const mayGo = unwrap(ctx, await createDeleteScope(ctx))
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
  const emitBegin = (step: Step): void => {
    if (step.op === 'same') decided.steps.push(step)
  }
  const sets = createSets()
  const input = {
    ...{ stack: 'dev', project: 'shop', preview: false, continueOnError: false },
    ...{ isDestroying: false, refreshing: undefined, trustsInputs: false, outputsOnly: false },
    ...{ ignoreProtect: false, autonaming: undefined },
    ...{ base, sets, scope: scopeOf(targeting, base) },
  }
  const ports = {
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
      ...{ getInstance: () => provider, configure: () => undefined },
      ...{ isRegistered: () => true, alias: () => undefined },
    },
    emitter: {
      ...{ emitBegin, emitEnd: () => undefined, count: () => undefined },
      report: (severity: string, message: string) => {
        if (severity === 'error') decided.errors.push(message)
      },
    },
    ...{ updatePlan: { guard: undefined, draft: undefined }, analyzers: [], replay: undefined },
    ...{ randomSeed: () => new Uint8Array(), uuid: () => 'id-new', timestamp: () => '' },
    decideInTurn: <T>(decision: () => T) => decision(),
    ...{ abort: () => undefined, isAborted: () => false, aborted: new Promise(() => undefined) },
    ...{ noteFailure: () => undefined, goalDigestOf: () => '', callDigestOf: () => '' },
  }
  const apply = (delta: SetsDelta): void => reduceSets(sets, delta)
  return { input, ports, apply } as unknown as GeneratorContext
}
