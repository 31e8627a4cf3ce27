import type { Alias } from '../../../proto/gen/pulumi/alias.ts'
import type { Monitor, Program, TestRun } from '../engine.ts'
import { project, stackName } from '../scripted-hosts.ts'

/** An alias as a program declares it: a previous URN, or the parts of it that differ. */
export type AliasInput =
  | string
  | {
      readonly name?: string
      readonly type?: string
      readonly parent?: string
      readonly noParent?: boolean
    }

/** A resource of a program. */
export interface ResourceDeclaration {
  readonly type: string
  readonly name: string
  /** The URN of the parent; if absent, the stack is the parent. */
  readonly parent?: string
  readonly custom?: boolean
  readonly object?: Record<string, unknown>
  readonly aliases?: readonly AliasInput[]
  readonly otherFields?: object
}

/** Returns the URN of a resource. `types`: those of its ancestors and its own, joined by `$`. */
export function typedUrnOf(types: string, name: string): string {
  return `urn:pulumi:${stackName}::${project}::${types}::${name}`
}

/** Returns an alias in its wire form. */
export function toWireAlias(alias: AliasInput): Alias {
  if (typeof alias === 'string') return { alias: { $case: 'urn', value: alias } }
  const { name = '', type = '', parent, noParent } = alias
  const wireNoParent = noParent === undefined ? undefined : { $case: 'noParent', value: noParent }
  const wireParent = parent === undefined ? wireNoParent : { $case: 'parentUrn', value: parent }
  const value = { name, type, stack: '', project: '', parent: wireParent }
  return { alias: { $case: 'spec', value } } as Alias
}

/** Registers the declared resources one after another. */
export async function registerAll(
  monitor: Monitor,
  declarations: readonly ResourceDeclaration[],
): Promise<void> {
  for (const {
    aliases = [],
    otherFields,
    parent,
    custom = true,
    object = {},
    ...rest
  } of declarations)
    await monitor.register({
      ...rest,
      custom,
      object,
      parent: parent ?? monitor.stack,
      aliases: aliases.map(toWireAlias),
      ...otherFields,
    })
}

/** Returns a program that registers the declared resources. */
export const toProgram =
  (...declarations: readonly ResourceDeclaration[]): Program =>
  monitor =>
    registerAll(monitor, declarations)

/** Returns the kinds of steps of a run, each once, without those of the stack and of providers. */
export function stepKindsOf({ events }: TestRun): readonly string[] {
  const kinds = events.flatMap(event => {
    if (!('resourcePreEvent' in event)) return []
    const { op, type } = event.resourcePreEvent.metadata
    return type.startsWith('pulumi:') ? [] : [op]
  })
  return [...new Set(kinds)].sort()
}

/** Returns the URNs of the state in order, without the stack and default providers. */
export function stateUrnsOf({ state }: TestRun): readonly string[] {
  return (state.resources ?? [])
    .filter(({ type }) => type !== 'pulumi:pulumi:Stack' && type !== 'pulumi:providers:test')
    .map(({ urn }) => urn)
}
