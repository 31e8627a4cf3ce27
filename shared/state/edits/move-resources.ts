import { createError } from '../../errors/error.ts'
import { isProviderType } from '../../names/provider-reference.ts'
import { childUrnOf, isUrn, nameOf, urnPartsOf, stackType, typeOf, urnOf } from '../../names/urn.ts'
import { withUsedExtensions } from '../extensions.ts'
import { withFields } from '../field-order.ts'
import { readTextField } from '../stored-fields.ts'
import type { Json, StoredDeployment, StoredResource } from '../stored.ts'
import {
  chooseResourcesToMove,
  isRootResource,
  type MoveRequest,
} from './choose-resources-to-move.ts'
import { type Reference, referencesOf, withReferences } from './references.ts'
import type { StackNames } from './rename-stack-in-state.ts'

/** A reference that a move removes. */
export interface BrokenReference {
  readonly urn: string
  readonly reference: Reference
}

/** The result of a move, and the details to report. */
export interface MoveResult {
  readonly source: StoredDeployment
  readonly dest: StoredDeployment
  /** The URNs that the moved resources had in the source, in the order of the source. */
  readonly movedUrns: readonly string[]
  /** Requested URNs that the source does not contain. */
  readonly unknownUrns: readonly string[]
  /** References from remaining to moved resources, without parents and owners of views. */
  readonly brokenInSource: readonly BrokenReference[]
  /**
   * References from moved resources and their providers to remaining resources, without parents and
   * owners of views.
   */
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
 * them. The destination gets them at its end, below its root unless their parents are moved too.
 * The destination also gets copies of the resources' providers, unless it has equal providers.
 * Throws CLI_USAGE, STATE_RESOURCE_UNKNOWN for an empty selection, STATE_RESOURCE_EXISTS. Source:
 * docs/spec/state-integrity.md#state-edits.
 */
export function moveResources(
  source: StoredDeployment,
  dest: StoredDeployment,
  { request, target }: { readonly request: MoveRequest; readonly target: MoveTarget },
): MoveResult {
  const { resources = [] } = source
  const { movedUrns, unknownUrns } = chooseResourcesToMove(resources, request)
  const movedResources = resources.filter(({ urn }) => movedUrns.has(urn))
  if (movedResources.length === 0)
    throw createError(
      'STATE_RESOURCE_UNKNOWN',
      'the source stack does not contain any of the resources to move',
    )
  const remainingResources = resources.filter(({ urn }) => !movedUrns.has(urn))
  const usedProviders = new Set(
    movedResources.flatMap(resource => readTextField(resource, 'provider') || []),
  )
  const copiedResources = resources.filter(
    resource => movedUrns.has(resource.urn) || usedProviders.has(storedReferenceOf(resource)),
  )
  const additionInput = { copiedResources, movedUrns, target }
  const { resources: destResources, brokenReferences } = addMovedResources(dest, additionInput)
  return {
    source: withUsedExtensions({
      ...source,
      resources: remainingResources.map(createReferenceRemover(movedUrns)),
    }),
    dest: withUsedExtensions({
      ...dest,
      resources: destResources,
      extensions: { ...source.extensions, ...dest.extensions },
    }),
    movedUrns: movedResources.map(({ urn }) => urn),
    unknownUrns,
    brokenInSource: remainingResources.flatMap(resource =>
      brokenReferencesOf(resource, urn => movedUrns.has(urn)),
    ),
    brokenInDest: brokenReferences,
  }
}

/**
 * Returns the resources of the destination after the move, and the references that the copied
 * resources lose.
 */
function addMovedResources(
  dest: StoredDeployment,
  input: {
    /** The moved resources and the copied providers, in the order of the source. */
    readonly copiedResources: readonly StoredResource[]
    readonly movedUrns: ReadonlySet<string>
    readonly target: MoveTarget
  },
): {
  readonly resources: readonly StoredResource[]
  readonly brokenReferences: readonly BrokenReference[]
} {
  const { copiedResources, movedUrns, target } = input
  const destResources = dest.resources ?? []
  const root = destResources.find(isRootResource) ?? rootOf(target.names)
  const resources = destResources.some(isRootResource)
    ? [...destResources]
    : [root, ...destResources]
  const resourcesByUrn = new Map(resources.map(resource => [resource.urn, resource]))
  const newReferences = new Map<string, string>()
  for (const resource of target.reseal(copiedResources)) {
    const copy = relocateResource(resource, { root, movedUrns, newReferences, names: target.names })
    const existing = resourcesByUrn.get(copy.urn)
    const isMoved = movedUrns.has(resource.urn)
    if (existing === undefined) resources.push(copy)
    else if (isMoved || !isSameProvider(existing, copy, target))
      throw createError(
        'STATE_RESOURCE_EXISTS',
        `the destination already has ${isMoved ? 'a resource' : 'another provider'} '${copy.urn}'`,
        { details: { urn: copy.urn } },
      )
    if (isMoved) newReferences.set(resource.urn, copy.urn)
    else newReferences.set(storedReferenceOf(resource), storedReferenceOf(existing ?? copy))
  }
  const brokenReferences = copiedResources.flatMap(resource =>
    brokenReferencesOf(resource, urn => !movedUrns.has(urn)),
  )
  return { resources, brokenReferences }
}

/**
 * Returns the reference by which stored resources name this provider. Unlike `providerReferenceOf`,
 * keeps the stored id as it is. Returns '' for a resource that is not a provider.
 */
function storedReferenceOf(resource: StoredResource): string {
  return isProviderType(resource.type) ? `${resource.urn}::${readTextField(resource, 'id')}` : ''
}

function isSameProvider(
  existing: StoredResource,
  copy: StoredResource,
  { isEqual }: MoveTarget,
): boolean {
  return (
    readTextField(existing, 'id') === readTextField(copy, 'id') ||
    isEqual(existing['inputs'], copy['inputs'])
  )
}

/**
 * Returns a resource with its URN, parent and provider as they are in the destination, without
 * references to resources that are not moved.
 */
function relocateResource(
  resource: StoredResource,
  input: {
    readonly root: StoredResource
    readonly movedUrns: ReadonlySet<string>
    /** The new URNs of moved resources, and the new references to copied providers. */
    readonly newReferences: ReadonlyMap<string, string>
    readonly names: StackNames
  },
): StoredResource {
  const { root, movedUrns, newReferences, names } = input
  const relocateUrn = (urn: string): string =>
    newReferences.get(urn) ?? (isUrn(urn) ? urnOf({ ...urnPartsOf(urn), ...names }) : urn)
  const trimmedResource = withReferences(
    resource,
    ({ urn }) => (movedUrns.has(urn) ? relocateUrn(urn) : undefined),
    'drop',
  )
  const parent =
    readTextField(trimmedResource, 'parent') === ''
      ? root.urn
      : readTextField(trimmedResource, 'parent')
  const parentType = isUrn(parent) ? urnPartsOf(parent).qualifiedType : ''
  const { urn } = resource
  const newUrn = isUrn(urn)
    ? childUrnOf(names, parentType, { type: typeOf(urn), name: nameOf(urn) })
    : urn
  const provider = readTextField(resource, 'provider')
  const reference = newReferences.get(provider) ?? relocateUrn(provider)
  return withFields(trimmedResource, {
    urn: newUrn,
    parent,
    provider: provider === '' ? undefined : reference,
  })
}

/** Creates the root resource of a new stack. */
function rootOf({ project, stack }: StackNames): StoredResource {
  const name = `${project}-${stack}`
  const urn = urnOf({ project, stack, qualifiedType: stackType, name })
  return { urn, custom: false, type: stackType }
}

function createReferenceRemover(
  movedUrns: ReadonlySet<string>,
): (resource: StoredResource) => StoredResource {
  return resource =>
    withReferences(resource, ({ urn }) => (movedUrns.has(urn) ? undefined : urn), 'drop')
}

/**
 * Returns the references of a resource that the move breaks, without parents and owners of views. A
 * moved resource gets a new parent. A remaining resource loses a moved parent without a report.
 */
function brokenReferencesOf(
  resource: StoredResource,
  isElsewhere: (urn: string) => boolean,
): readonly BrokenReference[] {
  return referencesOf(resource)
    .filter(({ kind, urn }) => kind !== 'parent' && kind !== 'viewOf' && isElsewhere(urn))
    .map(reference => ({ urn: resource.urn, reference }))
}
