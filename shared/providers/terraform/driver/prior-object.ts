import { requireNoErrors } from './require-no-errors.ts'
import type { ReceivedValue, StoredValue } from '../client/terraform-client.ts'
import type { StoredObject } from '../mapping/stored-object.ts'
import { requireStoredObject, type RecordedResource } from './stored-resource.ts'
import { toRecordedOutputs } from './object-outputs.ts'
import { normalizeBlocks } from '../plan/normalize-blocks.ts'
import { findWriteOnlyPaths } from '../plan/write-only.ts'
import type { CtyValue } from '../values/cty-value.ts'
import { stripRemovedAttributes } from '../values/strip-removed.ts'
import { replaceUnknowns } from '../values/walk-value.ts'
import { describeFailure, readProblems } from './diagnostics.ts'
import { createRefusal, describeProviderBug, readResponse } from './provider-failure.ts'
import type { ResourceObject } from './resource-object.ts'
import type { ResourceType } from './terraform-package.ts'
import { showWarnings, type TerraformSession } from './terraform-session.ts'
import { decodeValue } from './wire-values.ts'

/** The object of a recorded resource. */
export interface PriorObject extends ResourceObject {
  /** Whether the state has another type, or an older version of the schema or of the identity. */
  readonly isOutdated: boolean
}

/**
 * Returns the object of a recorded resource in the provider's current schema. The provider moves a
 * state of another type, and upgrades any other state, even one with the current schema version.
 * Outputs that a read of this process returned need no move and no upgrade. Throws ProviderError.
 */
export async function readPriorObject(
  session: TerraformSession,
  resource: ResourceType,
  recorded: RecordedResource,
): Promise<PriorObject> {
  const readObject = session.objectsByOutputs.get(recorded.outputs)
  if (readObject !== undefined) return { ...readObject, isOutdated: false }
  const { urn } = recorded
  const stored = requireStoredObject(resource, recorded)
  if (stored.typeName !== resource.typeName)
    return { ...(await moveObject(session, resource, { stored, urn })), isOutdated: true }
  return upgradeObject(session, resource, { stored, urn })
}

/**
 * Returns the object of a recorded resource that is about to be updated. The provider also upgrades
 * a state that it has just moved, because Terraform's core does so when it applies a change. Throws
 * ProviderError.
 */
export async function readObjectToUpdate(
  session: TerraformSession,
  resource: ResourceType,
  recorded: RecordedResource,
): Promise<PriorObject> {
  const prior = await readPriorObject(session, resource, recorded)
  const isMoved = requireStoredObject(resource, recorded).typeName !== resource.typeName
  if (!isMoved) return prior
  const stored = requireStoredObject(resource, {
    ...recorded,
    outputs: toRecordedOutputs(resource, prior),
  })
  const upgraded = await upgradeObject(session, resource, { stored, urn: recorded.urn })
  return { ...upgraded, isOutdated: true }
}

/**
 * Returns a stored object of the resource's own type in the provider's current schema. Throws
 * ProviderError.
 */
export async function upgradeObject(
  session: TerraformSession,
  resource: ResourceType,
  { stored, urn }: ObjectToUpgrade,
): Promise<PriorObject> {
  if (stored.schemaVersion > resource.version)
    throw createRefusal(
      `the state of '${urn}' has schema version ${stored.schemaVersion}, but provider ` +
        `'${session.pkg.name}' ${session.pkg.version} knows only versions up to ${resource.version}. Use a newer version of the provider`,
    )
  return {
    value: await upgradeState(session, resource, { stored, urn }),
    private: stored.privateData,
    identity: await upgradeIdentity(session, resource, { stored, urn }),
    isTainted: stored.isTainted,
    sensitivePaths: stored.sensitivePaths,
    isOutdated:
      stored.schemaVersion !== resource.version ||
      (stored.identityJson !== undefined &&
        resource.identity !== undefined &&
        (stored.identitySchemaVersion ?? 0) !== resource.identity.version),
  }
}

/** A stored object to upgrade or move, and the URN of its resource. */
export interface ObjectToUpgrade {
  readonly stored: StoredObject & {
    /** The attributes in the form of Terraform before 0.12, in place of `stateJson`. */
    readonly flatmap?: ReadonlyMap<string, string>
  }
  readonly urn: string
}

async function upgradeState(
  session: TerraformSession,
  resource: ResourceType,
  { stored, urn }: ObjectToUpgrade,
): Promise<CtyValue> {
  const response = await session.client.upgradeResourceState({
    typeName: resource.typeName,
    version: stored.schemaVersion,
    stored: prepareStored(stored, resource),
  })
  requireNoErrors(session, resource, { verb: 'upgrade the state of', subject: urn, response })
  return checkState(session, resource, {
    urn,
    messageStart: 'upgraded the state',
    read: () => decodeValue(response.upgradedState, resource.type),
  })
}

/**
 * Removes attributes that the current schema no longer has, as Terraform's core does before an
 * upgrade. A state of another version stays unchanged, because its upgrade may need them.
 */
function prepareStored(
  { stateJson, schemaVersion, flatmap }: ObjectToUpgrade['stored'],
  { type, version }: ResourceType,
): StoredValue {
  if (flatmap !== undefined) return { flatmap }
  const json = schemaVersion === version ? stripRemovedAttributes(stateJson, type) : stateJson
  return { json: new TextEncoder().encode(json ?? stateJson) }
}

/** A state of a response, with the texts that describe it in messages. */
interface ReceivedState {
  readonly urn: string
  /** An action of the provider, such as `moved the state`. Messages name the provider before it. */
  readonly messageStart: string
  readonly read: () => CtyValue
}

/**
 * Reads and checks a state of the provider. Absent blocks get the form that plans require.
 * Throws the errors of `checkRawState`.
 */
export function checkState(
  session: TerraformSession,
  resource: ResourceType,
  response: ReceivedState,
): CtyValue {
  const value = checkRawState(session, resource, response)
  return normalizeBlocks(resource.block, value)
}

/**
 * Reads and checks a state of the provider. Throws ProviderError if the state has another type than
 * the schema, or values of write-only attributes. Unknown parts become null.
 */
export function checkRawState(
  session: TerraformSession,
  resource: ResourceType,
  { urn, messageStart, read }: ReceivedState,
): CtyValue {
  const fault = `${messageStart} of '${urn}' wrongly`
  const value = readResponse(session.pkg.name, fault, read)
  const leaks = findWriteOnlyPaths(resource.block, value)
  if (leaks.length > 0)
    throw createRefusal(
      describeProviderBug(
        session.pkg.name,
        fault,
        leaks.map(path => ({ message: 'a write-only attribute has a value', path })),
      ),
    )
  return replaceUnknowns(value)
}

async function upgradeIdentity(
  session: TerraformSession,
  resource: ResourceType,
  { stored, urn }: ObjectToUpgrade,
): Promise<CtyValue | undefined> {
  const { identity } = resource
  if (identity === undefined || stored.identityJson === undefined) return undefined
  const version = stored.identitySchemaVersion ?? 0
  if (version > identity.version)
    throw createRefusal(
      `the identity of '${urn}' has schema version ${version}, but provider '${session.pkg.name}' knows only versions up to ${identity.version}`,
    )
  const json = new TextEncoder().encode(stored.identityJson)
  if (version === identity.version)
    return readResponse(session.pkg.name, `has another identity schema for '${urn}'`, () =>
      decodeValue({ json }, identity.type),
    )
  const response = await session.client.upgradeResourceIdentity({
    typeName: resource.typeName,
    version,
    stored: { json },
  })
  // Messages about an identity name no property, because programs do not see its attributes.
  const pathOptions = { type: identity.type, formatPath: () => '' }
  const { errors, warnings } = readProblems(response, pathOptions)
  showWarnings(session, urn, warnings)
  if (errors.length > 0)
    throw createRefusal(describeFailure('upgrade the identity of', urn, errors))
  const fault = `upgraded the identity of '${urn}' wrongly`
  const upgraded = readResponse(session.pkg.name, fault, () =>
    decodeValue(response.upgradedIdentity, identity.type),
  )
  if (upgraded.kind === 'null')
    throw createRefusal(
      describeProviderBug(session.pkg.name, fault, [{ message: 'the identity is null', path: [] }]),
    )
  return upgraded
}

/**
 * Moves an object from another type. As in Terraform's core, the provider is called even if it does
 * not declare the capability for moves. A provider that cannot move states then fails.
 */
async function moveObject(
  session: TerraformSession,
  resource: ResourceType,
  { stored, urn }: ObjectToUpgrade,
): Promise<ResourceObject> {
  const encoder = new TextEncoder()
  const response = await session.client.moveResourceState({
    sourceProviderAddress: session.pkg.source,
    sourceTypeName: stored.typeName,
    sourceSchemaVersion: stored.schemaVersion,
    sourceState: { json: encoder.encode(stored.stateJson) },
    sourcePrivate: stored.privateData,
    sourceIdentity:
      stored.identityJson === undefined ? undefined : { json: encoder.encode(stored.identityJson) },
    sourceIdentitySchemaVersion: stored.identitySchemaVersion,
    targetTypeName: resource.typeName,
  })
  requireNoErrors(session, resource, { verb: 'move the state of', subject: urn, response })
  return {
    value: checkState(session, resource, {
      urn,
      messageStart: 'moved the state',
      read: () => decodeValue(response.targetState, resource.type),
    }),
    private: response.targetPrivate,
    identity: readIdentityOf(session, resource, response.targetIdentity),
    isTainted: stored.isTainted,
    sensitivePaths: [],
  }
}

/**
 * Decodes an identity of a response. Returns undefined if the response has no identity, or if the
 * resource type has no identity schema.
 */
export function readIdentityOf(
  session: TerraformSession,
  { identity, typeName }: ResourceType,
  received: ReceivedValue,
): CtyValue | undefined {
  if (identity === undefined || received === undefined) return undefined
  const value = readResponse(session.pkg.name, `sent an invalid identity of '${typeName}'`, () =>
    decodeValue(received, identity.type),
  )
  return value.kind === 'null' ? undefined : value
}
