import { error } from '../../errors/error.ts'
import { isProviderType } from '../../names/provider-reference.ts'
import { childUrnOf, isUrn, nameOf, urnPartsOf, stackType, typeOf, urnOf } from '../../names/urn.ts'
import { withFields } from '../field-order.ts'
import { readTextField } from '../stored-fields.ts'
import type { Json, StoredDeployment, StoredResource } from '../stored.ts'
import { chooseResourcesToMove, isRoot, type MoveRequest } from './choose-moved.ts'
import { type Reference, referencesOf, withReferences } from './references.ts'
import type { StackNames } from './rename-stack.ts'

/** A reference that a move removes. */
export interface BrokenReference {
  readonly urn: string
  readonly reference: Reference
}

/** The result of a move, and the details to report. */
export interface MoveResult {
  readonly source: StoredDeployment
  readonly dest: StoredDeployment
  /** URNs in the source, in its order. */
  readonly moved: readonly string[]
  readonly unknown: readonly string[]
  /** Removed references from remaining to moved resources. */
  readonly brokenInSource: readonly BrokenReference[]
  /** Removed references from moved to remaining resources. */
  readonly brokenInDest: readonly BrokenReference[]
}

/**
 * The destination of a move. `reseal`: encrypts the secrets of resources with the manager of the
 * destination stack.
 */
export interface MoveTarget {
  readonly names: StackNames
  readonly reseal: (resources: readonly StoredResource[]) => readonly StoredResource[]
  /** Reports whether two resealed values are equal, with secrets compared as plaintext. */
  readonly isEqual: (a: Json | undefined, b: Json | undefined) => boolean
}

/**
 * Moves resources from one state to another. The source loses the resources and all references to
 * them. The destination gets them at its end, below its root unless their parents are moved too. It
 * also gets copies of their providers, unless it has the same ones. Throws CLI_USAGE,
 * STATE_RESOURCE_UNKNOWN for an empty selection, STATE_RESOURCE_EXISTS. Source:
 * docs/spec/state-integrity.md#state-edits.
 */
export function moveResources(
  source: StoredDeployment,
  dest: StoredDeployment,
  { request, target }: { readonly request: MoveRequest; readonly target: MoveTarget },
): MoveResult {
  const { resources = [] } = source
  const { moved, unknown } = chooseResourcesToMove(resources, request)
  const going = resources.filter(({ urn }) => moved.has(urn))
  if (going.length === 0)
    throw error(
      'STATE_RESOURCE_UNKNOWN',
      'the source stack does not contain any of the resources to move',
    )
  const staying = resources.filter(({ urn }) => !moved.has(urn))
  const used = new Set(going.flatMap(resource => readTextField(resource, 'provider') || []))
  const coming = resources.filter(
    resource => moved.has(resource.urn) || used.has(providerReferenceTo(resource)),
  )
  const arrival = addMoved(dest, { coming, moved, target })
  return {
    source: withExtensions(
      { ...source, resources: staying.map(createReferenceCutter(moved)) },
      undefined,
    ),
    dest: withExtensions({ ...dest, resources: arrival.resources }, source),
    moved: going.map(({ urn }) => urn),
    unknown,
    brokenInSource: staying.flatMap(resource =>
      brokenReferencesOf(resource, urn => moved.has(urn)),
    ),
    brokenInDest: arrival.broken,
  }
}

/**
 * Returns the destination's resources with the moved ones, and the references that the move
 * removes.
 */
function addMoved(
  dest: StoredDeployment,
  input: {
    /** The moved resources and the copied providers, in the order of the source. */
    readonly coming: readonly StoredResource[]
    readonly moved: ReadonlySet<string>
    readonly target: MoveTarget
  },
): { readonly resources: readonly StoredResource[]; readonly broken: readonly BrokenReference[] } {
  const { coming, moved, target } = input
  const before = dest.resources ?? []
  const root = before.find(isRoot) ?? rootOf(target.names)
  const resources = before.some(isRoot) ? [...before] : [root, ...before]
  const known = new Map(resources.map(resource => [resource.urn, resource]))
  const now = new Map<string, string>()
  for (const resource of target.reseal(coming)) {
    const copy = relocate(resource, { root, moved, now, names: target.names })
    const there = known.get(copy.urn)
    const isMoved = moved.has(resource.urn)
    if (there === undefined) resources.push(copy)
    else if (isMoved || !isSameProvider(there, copy, target))
      throw error(
        'STATE_RESOURCE_EXISTS',
        `the destination already has ${isMoved ? 'a resource' : 'another provider'} '${copy.urn}'`,
        { details: { urn: copy.urn } },
      )
    if (isMoved) now.set(resource.urn, copy.urn)
    else now.set(providerReferenceTo(resource), providerReferenceTo(there ?? copy))
  }
  const broken = coming.flatMap(resource => brokenReferencesOf(resource, urn => !moved.has(urn)))
  return { resources, broken }
}

/** Returns the reference by which resources name this provider; '' for other resources. */
function providerReferenceTo(resource: StoredResource): string {
  return isProviderType(resource.type) ? `${resource.urn}::${readTextField(resource, 'id')}` : ''
}

function isSameProvider(
  there: StoredResource,
  copy: StoredResource,
  { isEqual }: MoveTarget,
): boolean {
  return (
    readTextField(there, 'id') === readTextField(copy, 'id') ||
    isEqual(there['inputs'], copy['inputs'])
  )
}

/**
 * Returns a resource with its names in the destination, without references to resources that are
 * not moved.
 */
function relocate(
  resource: StoredResource,
  input: {
    readonly root: StoredResource
    readonly moved: ReadonlySet<string>
    readonly now: ReadonlyMap<string, string>
    readonly names: StackNames
  },
): StoredResource {
  const { root, moved, now, names } = input
  const relocateUrn = (urn: string): string =>
    now.get(urn) ?? (isUrn(urn) ? urnOf({ ...urnPartsOf(urn), ...names }) : urn)
  const cut = withReferences(
    resource,
    ({ urn }) => (moved.has(urn) ? relocateUrn(urn) : undefined),
    'drop',
  )
  const parent = readTextField(cut, 'parent') === '' ? root.urn : readTextField(cut, 'parent')
  const above = isUrn(parent) ? urnPartsOf(parent).qualifiedType : ''
  const { urn } = resource
  const own = isUrn(urn) ? childUrnOf(names, above, { type: typeOf(urn), name: nameOf(urn) }) : urn
  const provider = readTextField(resource, 'provider')
  const reference = now.get(provider) ?? relocateUrn(provider)
  return withFields(cut, { urn: own, parent, provider: provider === '' ? undefined : reference })
}

/** Creates the root resource of a new stack. */
function rootOf({ project, stack }: StackNames): StoredResource {
  const name = `${project}-${stack}`
  const urn = urnOf({ project, stack, qualifiedType: stackType, name })
  return { urn, custom: false, type: stackType }
}

function createReferenceCutter(
  moved: ReadonlySet<string>,
): (resource: StoredResource) => StoredResource {
  return resource =>
    withReferences(resource, ({ urn }) => (moved.has(urn) ? undefined : urn), 'drop')
}

/** Parents are excluded, because the move assigns new ones. */
function brokenReferencesOf(
  resource: StoredResource,
  isElsewhere: (urn: string) => boolean,
): readonly BrokenReference[] {
  return referencesOf(resource)
    .filter(({ kind, urn }) => kind !== 'parent' && kind !== 'viewOf' && isElsewhere(urn))
    .map(reference => ({ urn: resource.urn, reference }))
}

/** Keeps exactly the extensions that the state's resources reference. */
function withExtensions(
  state: StoredDeployment,
  from: StoredDeployment | undefined,
): StoredDeployment {
  const refs = new Set(
    (state.resources ?? []).flatMap(resource => readTextField(resource, 'extensionRef') || []),
  )
  const kept = [...refs].flatMap(ref => {
    const blob = state.extensions?.[ref] ?? from?.extensions?.[ref]
    return blob === undefined ? [] : [[ref, blob] as const]
  })
  const { extensions: _before, ...rest } = state
  return kept.length === 0 ? rest : { ...rest, extensions: Object.fromEntries(kept) }
}
