import type { Alias } from '../../../proto/gen/pulumi/alias.ts'
import type { Monitor, Program, TestRun } from '../engine.ts'
import { project, stackName } from '../scripted-hosts.ts'

/** Another name that a resource had, as a program may say it. */
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
  /** The URN of its parent; absent: the stack. */
  readonly parent?: string
  readonly custom?: boolean
  readonly object?: Record<string, unknown>
  readonly aliases?: readonly AliasInput[]
  readonly more?: object
}

/** The URN of a resource below its parents' types. */
export function typedUrnOf(types: string, name: string): string {
  return `urn:pulumi:${stackName}::${project}::${types}::${name}`
}

/** An alias on the wire. */
export function toWireAlias(alias: AliasInput): Alias {
  if (typeof alias === 'string') return { alias: { $case: 'urn', value: alias } }
  const { name = '', type = '', parent, noParent } = alias
  const none = noParent === undefined ? undefined : { $case: 'noParent', value: noParent }
  const above = parent === undefined ? none : { $case: 'parentUrn', value: parent }
  const value = { name, type, stack: '', project: '', parent: above }
  return { alias: { $case: 'spec', value } } as Alias
}

/** Registers what is described, one after another. */
export async function registerAll(
  monitor: Monitor,
  all: readonly ResourceDeclaration[],
): Promise<void> {
  for (const { aliases = [], more, parent, custom = true, object = {}, ...rest } of all)
    await monitor.register({
      ...rest,
      custom,
      object,
      parent: parent ?? monitor.stack,
      aliases: aliases.map(toWireAlias),
      ...more,
    })
}

/** A program that registers what is described. */
export const toProgram =
  (...all: readonly ResourceDeclaration[]): Program =>
  monitor =>
    registerAll(monitor, all)

/** The kinds of steps that a run did with anything but the stack and providers, each once. */
export function stepKindsOf({ events }: TestRun): readonly string[] {
  const kinds = events.flatMap(event => {
    if (!('resourcePreEvent' in event)) return []
    const { op, type } = event.resourcePreEvent.metadata
    return type.startsWith('pulumi:') ? [] : [op]
  })
  return [...new Set(kinds)].sort()
}

/** The URNs of the state but for the stack and default providers, in order. */
export function stateUrnsOf({ state }: TestRun): readonly string[] {
  return (state.resources ?? [])
    .filter(({ type }) => type !== 'pulumi:pulumi:Stack' && type !== 'pulumi:providers:test')
    .map(({ urn }) => urn)
}
