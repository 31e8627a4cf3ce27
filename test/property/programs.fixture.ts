import fc from 'fast-check'
import type { RegisterResourceResponse } from '../../proto/gen/pulumi/resource.ts'
import type { Monitor, Program } from '../lifecycle/engine.ts'

/**
 * A resource of a program. `v` and `replace` are inputs. All other numbers are positions of earlier
 * resources.
 */
export interface ProgramResource {
  readonly name: string
  /** `box`: a component. */
  readonly kind: 'thing' | 'box' | 'provider'
  /** The name in the program before. If present, the resource has an alias with it. */
  readonly previousName?: string
  readonly value: number
  readonly replace: number
  readonly parent?: number
  readonly provider?: number
  readonly dependencies: readonly number[]
  /** Position of an earlier resource. Its id becomes the value of the input `replace`. */
  readonly replaceSource?: number
  readonly deletedWith?: number
  readonly deleteFirst: boolean
  readonly retained: boolean
}

/** A program and its successor. */
export interface ProgramChange {
  readonly before: readonly ProgramResource[]
  readonly after: readonly ProgramResource[]
}

const optionalIndex = fc.option(fc.nat(), { nil: undefined, freq: 2 })

const resourceDraw = fc.record({
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constant('thing' as const) },
    { weight: 1, arbitrary: fc.constantFrom('box' as const, 'provider' as const) },
  ),
  change: fc.constantFrom('same', 'changed', 'replaced', 'renamed', 'dropped', 'new'),
  parent: optionalIndex,
  provider: optionalIndex,
  dependencies: fc.array(fc.nat(), { maxLength: 2 }),
  replaceSource: optionalIndex,
  deletedWith: optionalIndex,
  deleteFirst: fc.boolean(),
  retained: fc.constantFrom(false, false, false, true),
})
type ResourceDraw = typeof resourceDraw extends fc.Arbitrary<infer T> ? T : never

/** Changes of every kind between two programs with some resources. */
export const programChanges: fc.Arbitrary<ProgramChange> = fc
  .array(resourceDraw, { minLength: 1, maxLength: 8 })
  .map(draws => {
    const resources = draws.map((draw, index) => resourceOf(draw, index, draws))
    const changeOf = (index: number): ResourceDraw['change'] => {
      const parentIndex = resources[index]?.parent
      const parentChange = parentIndex === undefined ? undefined : changeOf(parentIndex)
      return parentChange === 'dropped' || parentChange === 'new'
        ? parentChange
        : (draws[index]?.change ?? 'same')
    }
    const changedResources = resources.map((resource, index) =>
      applyChange(resource, changeOf(index)),
    )
    return {
      before: selectResources(resources, index => changeOf(index) !== 'new'),
      after: selectResources(changedResources, index => changeOf(index) !== 'dropped'),
    }
  })

function resourceOf(
  draw: ResourceDraw,
  index: number,
  draws: readonly ResourceDraw[],
): ProgramResource {
  const earlierIndices = [...draws.keys()].slice(0, index)
  const pick = (
    candidates: readonly number[],
    drawnIndex: number | undefined,
  ): number | undefined =>
    drawnIndex === undefined ? undefined : candidates[drawnIndex % Math.max(1, candidates.length)]
  const listOfKind = (kind: ProgramResource['kind']): readonly number[] =>
    earlierIndices.filter(candidate => draws[candidate]?.kind === kind)
  const isThing = draw.kind === 'thing'
  const references = {
    parent: pick(listOfKind('box'), draw.parent),
    provider: isThing ? pick(listOfKind('provider'), draw.provider) : undefined,
    replaceSource: isThing ? pick(listOfKind('thing'), draw.replaceSource) : undefined,
    deletedWith: isThing ? pick(listOfKind('thing'), draw.deletedWith) : undefined,
  }
  return {
    name: `r${index}`,
    kind: draw.kind,
    value: 1,
    replace: 1,
    ...dropUndefined(references),
    dependencies: [
      ...new Set(
        draw.dependencies.flatMap(drawnDependency => pick(earlierIndices, drawnDependency) ?? []),
      ),
    ],
    deleteFirst: isThing && draw.deleteFirst,
    retained: isThing && draw.retained,
  }
}

function dropUndefined<T extends object>(input: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(input).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as never
}

function applyChange(resource: ProgramResource, change: ResourceDraw['change']): ProgramResource {
  if (change === 'changed') return { ...resource, value: 2 }
  if (change === 'replaced' && resource.kind === 'thing') return { ...resource, replace: 2 }
  if (change === 'renamed')
    return { ...resource, name: `${resource.name}x`, previousName: resource.name }
  return resource
}

/** Returns the present resources, with references to their new positions. */
function selectResources(
  resources: readonly ProgramResource[],
  isPresent: (index: number) => boolean,
): readonly ProgramResource[] {
  const keptIndices = [...resources.keys()].filter(isPresent)
  const newIndices = new Map(keptIndices.map((oldIndex, newIndex) => [oldIndex, newIndex]))
  const newIndexOf = (oldIndex: number | undefined): number | undefined =>
    oldIndex === undefined ? undefined : newIndices.get(oldIndex)
  return keptIndices.flatMap(index => {
    const resource = resources[index]
    if (resource === undefined) return []
    const { parent, provider, replaceSource, deletedWith, ...rest } = resource
    const references = {
      parent: newIndexOf(parent),
      provider: newIndexOf(provider),
      replaceSource: newIndexOf(replaceSource),
    }
    const dependencies = resource.dependencies.flatMap(oldIndex => newIndexOf(oldIndex) ?? [])
    return [
      {
        ...rest,
        ...dropUndefined({ ...references, deletedWith: newIndexOf(deletedWith) }),
        dependencies,
      },
    ]
  })
}

const types = { thing: 'test:index:Thing', box: 'test:m:Box', provider: 'pulumi:providers:test' }

/** Returns the inputs of a registration. `replaceSource` becomes the id of that resource. */
function inputsOf(
  resource: ProgramResource,
  idOf: (index: number) => string,
): Record<string, unknown> {
  if (resource.kind === 'box') return {}
  const { value: v, replace, replaceSource } = resource
  return {
    v,
    ...(resource.kind === 'thing'
      ? { replace: replaceSource === undefined ? replace : idOf(replaceSource) }
      : {}),
  }
}

/**
 * Returns a program that registers each resource as soon as its references are registered. Without
 * `isParallel`, each registration also waits for the previous one.
 */
export function programOf(resources: readonly ProgramResource[], isParallel: boolean): Program {
  return async monitor => {
    const registrations: Promise<RegisterResourceResponse>[] = []
    for (const resource of resources) {
      const registration = register(monitor, resource, registrations)
      registrations.push(registration)
      registration.catch(() => undefined)
      if (!isParallel) await registration
    }
    await Promise.all(registrations)
  }
}

async function register(
  monitor: Monitor,
  resource: ProgramResource,
  registrations: readonly Promise<RegisterResourceResponse>[],
): Promise<RegisterResourceResponse> {
  const { parent, provider, replaceSource, deletedWith } = resource
  const references = [parent, provider, replaceSource, deletedWith, ...resource.dependencies]
  const responses = new Map<number, RegisterResourceResponse>()
  for (const index of references) {
    const response = index === undefined ? undefined : await registrations[index]
    if (index !== undefined && response !== undefined) responses.set(index, response)
  }
  const urnOf = (index: number | undefined): string => responses.get(index ?? -1)?.urn ?? ''
  const idOf = (index: number): string => responses.get(index)?.id ?? ''
  const dependencies = [
    ...resource.dependencies,
    ...(replaceSource === undefined ? [] : [replaceSource]),
  ].map(urnOf)
  return monitor.register({
    type: types[resource.kind],
    name: resource.name,
    custom: resource.kind !== 'box',
    object: inputsOf(resource, idOf),
    parent: parent === undefined ? monitor.stack : urnOf(parent),
    provider: provider === undefined ? '' : `${urnOf(provider)}::${idOf(provider)}`,
    dependencies,
    propertyDependencies: new Map(
      replaceSource === undefined ? [] : [['replace', { urns: [urnOf(replaceSource)] }]],
    ),
    deletedWith: urnOf(deletedWith),
    ...(resource.deleteFirst
      ? { deleteBeforeReplace: true, deleteBeforeReplaceDefined: true }
      : {}),
    retainOnDelete: resource.retained,
    aliases: resource.previousName === undefined ? [] : [aliasOf(resource.previousName)],
  })
}

function aliasOf(name: string) {
  const value = { name, type: '', stack: '', project: '', parent: undefined }
  return { alias: { $case: 'spec' as const, value } }
}

/**
 * Returns by name what the state must contain of each resource: its type, its inputs, and the names
 * of its parent and dependencies.
 */
export function expectedStateOf(
  resources: readonly ProgramResource[],
  idOf: (name: string) => string,
): Readonly<Record<string, object>> {
  const nameAtIndex = (index: number): string => resources[index]?.name ?? ''
  return Object.fromEntries(
    resources.map(resource => {
      const inputs = inputsOf(resource, index => idOf(nameAtIndex(index)))
      const dependencies = [
        ...resource.dependencies,
        ...(resource.replaceSource === undefined ? [] : [resource.replaceSource]),
      ]
      const parentName = resource.parent === undefined ? 'life-dev' : nameAtIndex(resource.parent)
      const names = [...new Set(dependencies.map(nameAtIndex))].sort()
      return [
        resource.name,
        { type: types[resource.kind], inputs, parent: parentName, dependencies: names },
      ]
    }),
  )
}

/** Returns a change as source code for a test of its own. */
export function sourceOf({ before, after }: ProgramChange): string {
  const lines = (resources: readonly ProgramResource[]): string =>
    resources.map(resource => `    ${JSON.stringify(resource)},\n`).join('')
  return `const change: ProgramChange = {\n  before: [\n${lines(before)}  ],\n  after: [\n${lines(after)}  ],\n}`
}
