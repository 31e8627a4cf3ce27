import { type OperationRow, resourceNameOf } from '../deployment/operation-row.ts'

/** A resource of a state, as `export` returns it. */
export interface StateResource {
  readonly urn: string
  readonly type: string
  readonly id?: string
  readonly parent?: string
  readonly provider?: string
  readonly custom?: boolean
  readonly delete?: boolean
  readonly protect?: boolean
  readonly external?: boolean
  readonly retainOnDelete?: boolean
  readonly taint?: boolean
  readonly inputs?: Readonly<Record<string, unknown>>
  readonly outputs?: Readonly<Record<string, unknown>>
  readonly dependencies?: readonly string[]
  readonly propertyDependencies?: Readonly<Record<string, readonly string[] | null>>
  readonly deletedWith?: string
  readonly replaceWith?: readonly string[]
  readonly stackTrace?: unknown
  readonly created?: string
  readonly modified?: string
}

/** An exported state. */
export interface StateExport {
  readonly deployment: {
    readonly resources?: readonly StateResource[]
    readonly pending_operations?: readonly {
      readonly resource: StateResource
      readonly type: string
    }[]
  } | null
}

/** A resource as the page shows it. */
export interface StateRow extends StateResource {
  readonly key: string
  readonly name: string
  readonly condition: ResourceCondition
  /** The type of a pending operation whose result is unknown, such as `updating`. */
  readonly pending: string | undefined
  readonly searchText: string
}

/** The condition of a resource, which decides its color. */
export type ResourceCondition =
  | 'normal'
  | 'component'
  | 'provider'
  | 'condemned'
  | 'tainted'
  | 'pending'

/** The conditions in the order of a legend, with their words. */
export const conditionLabels: readonly (readonly [ResourceCondition, string])[] = [
  ['normal', 'resource'],
  ['component', 'component'],
  ['provider', 'provider'],
  ['tainted', 'to be replaced'],
  ['pending', 'result unknown'],
  ['condemned', 'to be deleted'],
]

/** Returns the rows of a state in its order: dependencies precede their dependents. Pure. */
export function createResourceRows({ deployment }: StateExport): readonly StateRow[] {
  const pendingTypes = new Map(
    (deployment?.pending_operations ?? []).map(({ resource: { urn }, type }) => [urn, type]),
  )
  return (deployment?.resources ?? []).map(resource => {
    // The stack traces would take most of the memory.
    const { stackTrace: _stackTrace, ...fields } = resource
    const { urn, type, id = '' } = resource
    const pending = pendingTypes.get(urn)
    const name = resourceNameOf(urn)
    // Old copies of a resource, which await their deletes, have its URN too.
    const key = resource.delete === true ? `${urn} ${id} deleted` : urn
    const row = { ...fields, key, name, pending }
    const searchText = `${name} ${type} ${id} ${listFlagLabels(row).join(' ')}`
    return { ...row, condition: conditionOf(row), searchText }
  })
}

/** Returns the row of a resource that only a deployment has reported. Pure. */
export function createNewRow({ urn, type, name, parent }: OperationRow): StateRow {
  const row = { urn, type, name, key: urn, pending: undefined, searchText: `${name} ${type}` }
  return {
    ...row,
    condition: conditionOf(row),
    ...(parent === undefined ? {} : { parent }),
  }
}

type FlaggedResource = StateResource & { readonly pending: string | undefined }

/** Returns the flags of a resource as words. Pure. */
export function listFlagLabels(resource: FlaggedResource): readonly string[] {
  const flags: readonly (readonly [isSet: boolean | undefined, word: string])[] = [
    [resource.delete, 'to be deleted'],
    [resource.pending !== undefined, `${resource.pending ?? ''}: result unknown`],
    [resource.protect, 'protected'],
    [resource.external, 'external'],
    [resource.retainOnDelete, 'retained'],
    [resource.taint, 'to be replaced'],
  ]
  return flags.flatMap(([isSet, word]) => (isSet === true ? [word] : []))
}

function conditionOf(resource: FlaggedResource): ResourceCondition {
  if (resource.delete === true) return 'condemned'
  if (resource.pending !== undefined) return 'pending'
  if (resource.taint === true) return 'tainted'
  if (resource.type.startsWith('pulumi:providers:')) return 'provider'
  return resource.custom === false ? 'component' : 'normal'
}
