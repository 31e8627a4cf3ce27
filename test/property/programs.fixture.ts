import fc from 'fast-check'
import type { RegisterResourceResponse } from '../../proto/gen/pulumi/resource.ts'
import type { Monitor, Program } from '../lifecycle/engine.ts'

/** A resource of a program. Numbers refer to earlier resources by their position. */
export interface ProgramResource {
  readonly name: string
  readonly kind: 'thing' | 'box' | 'provider'
  /** Its previous name. */
  readonly was?: string
  readonly v: number
  readonly replace: number
  readonly parent?: number
  readonly provider?: number
  readonly dependencies: readonly number[]
  /** The resource whose id is the value of its property `replace`. */
  readonly upon?: number
  readonly deletedWith?: number
  readonly deleteFirst: boolean
  readonly retained: boolean
}

/** A program and its successor. */
export interface ProgramChange {
  readonly before: readonly ProgramResource[]
  readonly after: readonly ProgramResource[]
}

const seldom = fc.option(fc.nat(), { nil: undefined, freq: 2 })

const drawn = fc.record({
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constant('thing' as const) },
    { weight: 1, arbitrary: fc.constantFrom('box' as const, 'provider' as const) },
  ),
  fate: fc.constantFrom('same', 'changed', 'replaced', 'renamed', 'dropped', 'new'),
  parent: seldom,
  provider: seldom,
  dependencies: fc.array(fc.nat(), { maxLength: 2 }),
  upon: seldom,
  deletedWith: seldom,
  deleteFirst: fc.boolean(),
  retained: fc.constantFrom(false, false, false, true),
})
type Drawn = typeof drawn extends fc.Arbitrary<infer T> ? T : never

/** Changes of every kind between two programs with some resources. */
export const programChanges: fc.Arbitrary<ProgramChange> = fc
  .array(drawn, { minLength: 1, maxLength: 8 })
  .map(all => {
    const whole = all.map((one, at) => resourceOf(one, at, all))
    const fateOf = (at: number): Drawn['fate'] => {
      const up = whole[at]?.parent
      const above = up === undefined ? undefined : fateOf(up)
      return above === 'dropped' || above === 'new' ? above : (all[at]?.fate ?? 'same')
    }
    const next = whole.map((one, at) => applyFate(one, fateOf(at)))
    return {
      before: selectResources(whole, at => fateOf(at) !== 'new'),
      after: selectResources(next, at => fateOf(at) !== 'dropped'),
    }
  })

function resourceOf(one: Drawn, at: number, all: readonly Drawn[]): ProgramResource {
  const places = [...all.keys()].slice(0, at)
  const pick = (of: readonly number[], where: number | undefined): number | undefined =>
    where === undefined ? undefined : of[where % Math.max(1, of.length)]
  const of = (kind: ProgramResource['kind']): readonly number[] =>
    places.filter(place => all[place]?.kind === kind)
  const isThing = one.kind === 'thing'
  const named = {
    parent: pick(of('box'), one.parent),
    provider: isThing ? pick(of('provider'), one.provider) : undefined,
    upon: isThing ? pick(of('thing'), one.upon) : undefined,
    deletedWith: isThing ? pick(of('thing'), one.deletedWith) : undefined,
  }
  return {
    name: `r${at}`,
    kind: one.kind,
    ...{ v: 1, replace: 1 },
    ...dropUndefined(named),
    dependencies: [...new Set(one.dependencies.flatMap(to => pick(places, to) ?? []))],
    deleteFirst: isThing && one.deleteFirst,
    retained: isThing && one.retained,
  }
}

function dropUndefined<T extends object>(input: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(input).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as never
}

function applyFate(one: ProgramResource, fate: Drawn['fate']): ProgramResource {
  if (fate === 'changed') return { ...one, v: 2 }
  if (fate === 'replaced' && one.kind === 'thing') return { ...one, replace: 2 }
  if (fate === 'renamed') return { ...one, name: `${one.name}x`, was: one.name }
  return one
}

/** Returns the present resources, with references to their new positions. */
function selectResources(
  all: readonly ProgramResource[],
  isThere: (at: number) => boolean,
): readonly ProgramResource[] {
  const kept = [...all.keys()].filter(isThere)
  const places = new Map(kept.map((from, to) => [from, to]))
  const to = (from: number | undefined): number | undefined =>
    from === undefined ? undefined : places.get(from)
  return kept.flatMap(at => {
    const one = all[at]
    if (one === undefined) return []
    const { parent, provider, upon, deletedWith, ...rest } = one
    const named = { parent: to(parent), provider: to(provider), upon: to(upon) }
    const dependencies = one.dependencies.flatMap(from => to(from) ?? [])
    return [{ ...rest, ...dropUndefined({ ...named, deletedWith: to(deletedWith) }), dependencies }]
  })
}

const types = { thing: 'test:index:Thing', box: 'test:m:Box', provider: 'pulumi:providers:test' }

/** Returns the inputs of a registration. A reference to another resource is that one's id. */
function inputsOf(one: ProgramResource, idOf: (at: number) => string): Record<string, unknown> {
  if (one.kind === 'box') return {}
  const { v, replace, upon } = one
  return {
    v,
    ...(one.kind === 'thing' ? { replace: upon === undefined ? replace : idOf(upon) } : {}),
  }
}

/** Registers each resource as soon as its references are registered, or one after another. */
export function programOf(all: readonly ProgramResource[], isParallel: boolean): Program {
  return async monitor => {
    const made: Promise<RegisterResourceResponse>[] = []
    for (const one of all) {
      const registered = register(monitor, one, made)
      made.push(registered)
      registered.catch(() => undefined)
      if (!isParallel) await registered
    }
    await Promise.all(made)
  }
}

async function register(
  monitor: Monitor,
  one: ProgramResource,
  made: readonly Promise<RegisterResourceResponse>[],
): Promise<RegisterResourceResponse> {
  const { parent, provider, upon, deletedWith } = one
  const places = [parent, provider, upon, deletedWith, ...one.dependencies]
  const known = new Map<number, RegisterResourceResponse>()
  for (const at of places) {
    const there = at === undefined ? undefined : await made[at]
    if (at !== undefined && there !== undefined) known.set(at, there)
  }
  const urn = (at: number | undefined): string => known.get(at ?? -1)?.urn ?? ''
  const idOf = (at: number): string => known.get(at)?.id ?? ''
  const dependencies = [...one.dependencies, ...(upon === undefined ? [] : [upon])].map(urn)
  return monitor.register({
    type: types[one.kind],
    name: one.name,
    custom: one.kind !== 'box',
    object: inputsOf(one, idOf),
    parent: parent === undefined ? monitor.stack : urn(parent),
    provider: provider === undefined ? '' : `${urn(provider)}::${idOf(provider)}`,
    dependencies,
    propertyDependencies: new Map(upon === undefined ? [] : [['replace', { urns: [urn(upon)] }]]),
    deletedWith: urn(deletedWith),
    ...(one.deleteFirst ? { deleteBeforeReplace: true, deleteBeforeReplaceDefined: true } : {}),
    retainOnDelete: one.retained,
    aliases: one.was === undefined ? [] : [aliasOf(one.was)],
  })
}

function aliasOf(name: string) {
  const value = { name, type: '', stack: '', project: '', parent: undefined }
  return { alias: { $case: 'spec' as const, value } }
}

/** Returns the expected description of each resource of a program in the state, by name. */
export function expectedStateOf(
  all: readonly ProgramResource[],
  idOf: (name: string) => string,
): Readonly<Record<string, object>> {
  const nameOfPlace = (at: number): string => all[at]?.name ?? ''
  return Object.fromEntries(
    all.map(one => {
      const inputs = inputsOf(one, at => idOf(nameOfPlace(at)))
      const dependencies = [...one.dependencies, ...(one.upon === undefined ? [] : [one.upon])]
      const above = one.parent === undefined ? 'life-dev' : nameOfPlace(one.parent)
      const names = [...new Set(dependencies.map(nameOfPlace))].sort()
      return [one.name, { type: types[one.kind], inputs, parent: above, dependencies: names }]
    }),
  )
}

/** Returns a change as source code for a test of its own. */
export function sourceOf({ before, after }: ProgramChange): string {
  const lines = (all: readonly ProgramResource[]): string =>
    all.map(one => `    ${JSON.stringify(one)},\n`).join('')
  return `const change: Change = {\n  before: [\n${lines(before)}  ],\n  after: [\n${lines(after)}  ],\n}`
}
