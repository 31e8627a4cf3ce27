import type { EventStep } from '../api/engine-events.ts'
import type { ShownOperation } from '../api/operation-views.ts'
import { listPlannedChanges, type ShownPropertyChange } from './planned-changes.ts'

/**
 * The state of an operation as its events report it. `waiting`: no event has reported it yet.
 * `planned`: a step of a preview.
 */
export type OperationState = 'waiting' | 'running' | 'done' | 'failed' | 'planned'

/** An operation of a deployment, as a row of the page. */
export interface OperationRow {
  /** The URN and the kind of the operation, because a resource may have several operations. */
  readonly key: string
  readonly urn: string
  readonly type: string
  readonly name: string
  /** The URN of the parent. Undefined for a root, and while no event names it. */
  readonly parent: string | undefined
  readonly op: string
  readonly state: OperationState
  /** The names of the changed properties. */
  readonly diffs: readonly string[]
  /**
   * The changed inputs. Only a row with the state `planned` has any, to save memory for 100,000
   * rows.
   */
  readonly changes: readonly ShownPropertyChange[]
}

/** Returns the key of the row of a step. Pure. */
export function rowKeyOf({ op, urn }: Pick<EventStep, 'op' | 'urn'>): string {
  return `${op} ${urn}`
}

/** Returns the row of a step. Pure. */
export function createRow(step: EventStep, state: OperationState): OperationRow {
  const { op, urn, type, diffs } = step
  return {
    key: rowKeyOf(step),
    urn,
    type,
    name: resourceNameOf(urn),
    op,
    state,
    parent: (step.new ?? step.old)?.parent || undefined,
    diffs: diffs ?? [],
    changes: state === 'planned' ? listPlannedChanges(step) : [],
  }
}

/** Returns the row of a planned operation without an event. Pure. */
export function createPlannedRow({ op, urn, stage }: ShownOperation): OperationRow {
  const state = stage === 'running' ? 'running' : 'waiting'
  return createRow({ op, urn, type: typeOfUrn(urn) }, state)
}

/** Returns the rows that match, and the ancestors of their resources. Pure. */
export function keepAncestors(
  rows: readonly OperationRow[],
  isMatch: (row: OperationRow) => boolean,
): readonly OperationRow[] {
  const parents = new Map(rows.map(({ urn, parent }) => [urn, parent]))
  const ancestorUrns = new Set<string>()
  const matches = new Set(rows.filter(isMatch))
  for (const { parent } of matches)
    for (let urn = parent; urn !== undefined && !ancestorUrns.has(urn); urn = parents.get(urn))
      ancestorUrns.add(urn)
  return rows.filter(row => matches.has(row) || ancestorUrns.has(row.urn))
}

/** Reports whether a resource is a default provider, whose steps have no events. Pure. */
export function isDefaultProvider({ type, name }: Pick<OperationRow, 'type' | 'name'>): boolean {
  return type.startsWith('pulumi:providers:') && name.startsWith('default')
}

/** Returns the type of the resource of a URN. */
function typeOfUrn(urn: string): string {
  return urn.split('::')[2]?.split('$').at(-1) ?? ''
}

/** Returns the name of the resource of a URN: the part after its type. Pure. */
export function resourceNameOf(urn: string): string {
  // Only the name may contain `::`, because it is the last part.
  return urn.split('::').slice(3).join('::') || urn
}

/** Returns the short form of a type: `aws:s3/bucket:Bucket` is `aws:s3:Bucket`. Pure. */
export function shortTypeOf(type: string): string {
  const [packageName = '', moduleName = '', typeName] = type.split(':')
  if (typeName === undefined) return type
  const shortModule = moduleName.split('/')[0] ?? ''
  const isPlain = shortModule === 'index' || shortModule === ''
  return isPlain ? `${packageName}:${typeName}` : `${packageName}:${shortModule}:${typeName}`
}
