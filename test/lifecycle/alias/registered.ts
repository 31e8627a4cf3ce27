import type { Alias } from '../../../proto/gen/pulumi/alias.ts'
import type { Monitor, Program, Ran } from '../engine.ts'
import { project, stackName } from '../hosts.ts'

/** Another name that a resource had, as a program may say it. */
export type Said =
  | string
  | {
      readonly name?: string
      readonly type?: string
      readonly parent?: string
      readonly noParent?: boolean
    }

/** A resource of a program. */
export interface Described {
  readonly type: string
  readonly name: string
  /** The URN of its parent; absent: the stack. */
  readonly parent?: string
  readonly custom?: boolean
  readonly object?: Record<string, unknown>
  readonly aliases?: readonly Said[]
  readonly more?: object
}

/** The URN of a resource below its parents' types. */
export function urnOf(types: string, name: string): string {
  return `urn:pulumi:${stackName}::${project}::${types}::${name}`
}

/** An alias on the wire. */
export function wire(said: Said): Alias {
  if (typeof said === 'string') return { alias: { $case: 'urn', value: said } }
  const { name = '', type = '', parent, noParent } = said
  const none = noParent === undefined ? undefined : { $case: 'noParent', value: noParent }
  const above = parent === undefined ? none : { $case: 'parentUrn', value: parent }
  const value = { name, type, stack: '', project: '', parent: above }
  return { alias: { $case: 'spec', value } } as Alias
}

/** Registers what is described, one after another. */
export async function register(monitor: Monitor, all: readonly Described[]): Promise<void> {
  for (const { aliases = [], more, parent, custom = true, object = {}, ...rest } of all)
    await monitor.register({
      ...rest,
      custom,
      object,
      parent: parent ?? monitor.stack,
      aliases: aliases.map(wire),
      ...more,
    })
}

/** A program that registers what is described. */
export const registering =
  (...all: readonly Described[]): Program =>
  monitor =>
    register(monitor, all)

/** The kinds of steps that a run did with anything but the stack and providers, each once. */
export function kindsOf({ events }: Ran): readonly string[] {
  const kinds = events.flatMap(event => {
    if (!('resourcePreEvent' in event)) return []
    const { op, type } = event.resourcePreEvent.metadata
    return type.startsWith('pulumi:') ? [] : [op]
  })
  return [...new Set(kinds)].sort()
}

/** The URNs of the state but for the stack and default providers, in order. */
export function urnsOf({ state }: Ran): readonly string[] {
  return (state.resources ?? [])
    .filter(({ type }) => type !== 'pulumi:pulumi:Stack' && type !== 'pulumi:providers:test')
    .map(({ urn }) => urn)
}
