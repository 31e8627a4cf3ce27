import fc from 'fast-check'
import { childUrnOf, urnPartsOf, type Urn } from '../../shared/names/urn.ts'
import { type Base, createBase } from '../../shared/engine/deployment/state/base.ts'
import type { GeneratorContext } from '../../shared/engine/generator/context.ts'
import { DeploymentAborted, unwrap } from '../../shared/engine/generator/finish-stage.ts'
import {
  reportUntargetedDeletes,
  createDeleteScope,
  emitKeptStates,
} from '../../shared/engine/generator/deletion/delete-scope.ts'
import { condemnStates } from '../../shared/engine/generator/deletion/condemned-steps.ts'
import { registerResource } from '../../shared/engine/generator/registration/register-resource.ts'
import type { Goal } from '../../shared/engine/generator/registration/goal.ts'
import { scopeOf } from '../../shared/engine/generator/targets/scope.ts'
import { createSets, reduceSets } from '../../shared/engine/generator/reduce-sets.ts'
import type { SetsDelta } from '../../shared/engine/generator/sets-delta.ts'
import { noDiff } from '../../shared/providers/provider.ts'
import { successEndOf } from '../../shared/engine/step-end.ts'
import type { Step } from '../../shared/engine/step.ts'
import type { OperationId } from '../../shared/records/ids.ts'
import type { Targeting } from '../../shared/records/targeting.ts'
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
  readonly change: 'same' | 'changed' | 'replaced' | 'dropped' | 'new'
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
  change: fc.constantFrom<TargetNode['change']>('same', 'changed', 'replaced', 'dropped', 'new'),
  dependencies: fc.array(fc.nat(), { maxLength: 2 }),
})

const [component, providerType, plain] = ['test:m:Box', 'pulumi:providers:test', 'test:m:Thing']
const idOf = (name: string): string => `id-${name}`

/** Resources in a valid order. The first is a provider that every plain one may use. */
const nodes: fc.Arbitrary<readonly TargetNode[]> = fc
  .array(drawnNode, { minLength: 2, maxLength: 9 })
  .map(drawnNodes => {
    const earlierNodes: TargetNode[] = [nodeOf('p', providerType)]
    for (const [index, draw] of drawnNodes.entries()) {
      const boxes = earlierNodes.filter(node => node.type === component)
      const providers = earlierNodes.filter(
        node => node.type === providerType && node.change === 'same',
      )
      const type = { plain, component, provider: providerType }[draw.kind]
      const parentNode = draw.parent === undefined ? undefined : boxes[draw.parent % boxes.length]
      const chosenProvider = providers[draw.provider % providers.length] ?? earlierNodes[0]
      // A provider never changes here. Another property test covers changed providers.
      const change = draw.kind === 'provider' ? 'same' : draw.change
      const followsParent =
        parentNode !== undefined && ['dropped', 'new'].includes(parentNode.change)
      earlierNodes.push({
        ...nodeOf(`r${index}`, type, parentNode?.urn),
        change: followsParent ? (parentNode?.change ?? change) : change,
        provider:
          draw.kind === 'plain' && chosenProvider !== undefined
            ? `${chosenProvider.urn}::${idOf(chosenProvider.name)}`
            : '',
        dependencies:
          draw.kind === 'provider'
            ? []
            : [
                ...new Set(
                  draw.dependencies.map(
                    drawnDependency =>
                      earlierNodes[drawnDependency % earlierNodes.length]?.urn ?? ('' as Urn),
                  ),
                ),
              ],
      })
    }
    return earlierNodes
  })

function nodeOf(name: string, type = plain, parent: Urn | '' = ''): TargetNode {
  const parentType = parent === '' ? undefined : urnPartsOf(parent).qualifiedType
  const urn = childUrnOf({ stack: 'dev', project: 'shop' }, parentType, { type, name })
  return { urn, name, type, parent, provider: '', change: 'same', dependencies: [] }
}

/** Cases with some of their URNs as targets or excludes. */
export const targetCases: fc.Arbitrary<TargetCase> = fc
  .record({
    nodes,
    drawnTargets: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
    isExclude: fc.boolean(),
    hasDependents: fc.boolean(),
  })
  .map(({ nodes: drawnNodes, drawnTargets, isExclude, hasDependents }) => {
    const urns = drawnTargets.map(index => drawnNodes[index % drawnNodes.length]?.urn ?? '')
    const targeting = {
      targets: isExclude ? [] : urns,
      excludes: isExclude ? urns : [],
      replaces: [],
      targetDependents: hasDependents && !isExclude,
      excludeDependents: hasDependents && isExclude,
      excludeProtected: false,
    }
    return { nodes: drawnNodes, targeting }
  })

const inputsOf = (entries: Record<string, number>): PropertyMap => new Map(Object.entries(entries))

/** Returns the initial states of the stack. */
export function oldStatesOf({
  nodes: stackNodes,
}: Pick<TargetCase, 'nodes'>): readonly ResourceState[] {
  const olds = stackNodes.filter(({ change }) => change !== 'new')
  const existingUrns = new Set(olds.map(({ urn }) => urn))
  return olds.map(node =>
    createResourceState({
      urn: node.urn,
      type: node.type,
      custom: node.type !== component,
      id: node.type === component ? '' : idOf(node.name),
      parent: node.parent,
      provider: node.provider,
      dependencies: node.dependencies.filter(urn => existingUrns.has(urn)),
      inputs: inputsOf({ v: 1 }),
      outputs: inputsOf({ v: 1 }),
    }),
  )
}

function goalOf(node: TargetNode, registered: ReadonlySet<Urn>): Goal {
  const { name, type, parent, provider, change } = node
  return {
    name,
    type,
    parent,
    provider,
    custom: type !== component,
    aliases: [],
    inputs: inputsOf(
      change === 'changed' ? { v: 2 } : change === 'replaced' ? { v: 1, replace: 1 } : { v: 1 },
    ),
    dependencies: node.dependencies.filter(urn => registered.has(urn)),
    protect: undefined,
    retainOnDelete: undefined,
    deletedWith: '',
    stackTrace: [],
    propertyDependencies: new Map(),
    deleteBeforeReplace: undefined,
    ignoreChanges: [],
    replaceOnChanges: [],
    additionalSecretOutputs: [],
    hideDiff: [],
    customTimeouts: {},
    replaceWith: [],
    replacementTrigger: null,
    importId: '',
    sourcePosition: '',
    resourceHooks: new Map(),
  }
}

/** The decisions: steps in order, deletes at the end of the program, and reported errors. */
export interface TargetDecisions {
  readonly base: Base
  readonly steps: readonly Step[]
  readonly deletes: readonly Step[]
  /** Unchanged resources that are written because a field other than the inputs differs. */
  readonly writtenSteps: readonly Step[]
  readonly errors: readonly string[]
}

/** Makes the decisions of the engine about a program, with a provider whose calls all succeed. */
export async function decideTargets(
  targetCase: TargetCase,
  runsProgram: boolean,
): Promise<TargetDecisions> {
  const base = createBase({ ...emptySnapshot, resources: oldStatesOf(targetCase) }, 1)
  const decisions = { steps: [] as Step[], writtenSteps: [] as Step[], errors: [] as string[] }
  const ctx = contextOf(targetCase, base, decisions)
  const deletes: Step[] = []
  try {
    const registered = new Set<Urn>()
    for (const node of runsProgram ? targetCase.nodes : []) {
      if (node.change === 'dropped') continue
      unwrap(ctx, await registerResource(ctx, goalOf(node, registered)))
      registered.add(node.urn)
    }
    const deleteScope = unwrap(ctx, await createDeleteScope(ctx))
    const condemnedSteps = condemnStates(ctx, deleteScope).map(({ step }) => step)
    if (reportUntargetedDeletes(ctx, condemnedSteps)) {
      emitKeptStates(ctx, deleteScope)
      deletes.push(...condemnedSteps)
    }
  } catch (thrown) {
    if (!(thrown instanceof DeploymentAborted)) throw thrown
  }
  return { base, deletes, ...decisions }
}

function contextOf(
  { targeting }: TargetCase,
  base: Base,
  decisions: { readonly steps: Step[]; readonly writtenSteps: Step[]; readonly errors: string[] },
): GeneratorContext {
  let lastOperationId = 0
  const createTracked = (state: ResourceState) => ({
    state,
    ref: { kind: 'operation' as const, operation: (lastOperationId += 1) as OperationId },
  })
  const provider = {
    check: (request: { readonly newInputs: PropertyMap }) => ({
      inputs: request.newInputs,
      failures: [],
    }),
    checkConfig: (request: { readonly newInputs: PropertyMap }) => ({
      inputs: request.newInputs,
      failures: [],
    }),
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
    if (step.op === 'same') decisions.steps.push(step)
  }
  const sets = createSets()
  const input = {
    stack: 'dev',
    project: 'shop',
    isPreview: false,
    continueOnError: false,
    isProgramDestroy: false,
    programRefreshMode: undefined,
    trustsInputs: false,
    outputsOnly: false,
    ignoreProtect: false,
    autonaming: undefined,
    base,
    sets,
    scope: scopeOf(targeting, base),
  }
  const ports = {
    runner: {
      run: ({ steps }: { readonly steps: readonly Step[] }) => {
        decisions.steps.push(...steps)
        return steps.map(step => ({
          step,
          end: successEndOf(step.next),
          trackedState: step.next === undefined ? undefined : createTracked(step.next),
        }))
      },
      settle: ({ step, state }: { readonly step: Step; readonly state: ResourceState }) => {
        if (step.op !== 'same') decisions.steps.push(step)
        else decisions.writtenSteps.push({ ...step, next: state })
        return createTracked(state)
      },
    },
    providers: {
      keepUnconfigured: () => provider,
      getUnconfigured: () => provider,
      getInstance: () => provider,
      configure: () => undefined,
      isRegistered: () => true,
      alias: () => undefined,
    },
    emitter: {
      emitBegin,
      emitEnd: () => undefined,
      count: () => undefined,
      report: (severity: string, message: string) => {
        if (severity === 'error') decisions.errors.push(message)
      },
    },
    updatePlan: { guard: undefined, draft: undefined },
    analyzers: [],
    replay: undefined,
    randomSeed: () => new Uint8Array(),
    uuid: () => 'id-new',
    timestamp: () => '',
    decideSerially: <T>(decision: () => T) => decision(),
    abort: () => undefined,
    isAborted: () => false,
    whenAborted: new Promise(() => undefined),
    markFailed: () => undefined,
    goalDigestOf: () => '',
    callDigestOf: () => '',
  }
  const apply = (delta: SetsDelta): void => reduceSets(sets, delta)
  return { input, ports, apply } as unknown as GeneratorContext
}
