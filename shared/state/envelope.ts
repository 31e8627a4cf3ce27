import * as z from 'zod'
import { createError } from '../errors/error.ts'
import { type DocumentFault, documentDepthMax, findDocumentFault } from '../values/nesting.ts'
import { emptyManifest } from './empty-deployment.ts'
import { byteStringMark, knownFeatures } from './features.ts'
import { migrateFromV1, migrateFromV2 } from './migrate.ts'
import type { StoredJsonObject } from './stored-fields.ts'
import {
  selectUnknownDeploymentFields,
  selectUnknownEnvelopeFields,
  withEnvelopeFields,
} from './unknown-fields.ts'
import type { Json, StoredDeployment, StoredEnvelope, StoredResource } from './stored.ts'
import { parseForm } from '../values/parse-form.ts'

/** The outer object of an exported state. The state itself is the field `deployment`. */
const envelopeForm = z.looseObject({
  version: z.int().optional(),
  features: z.array(z.string()).nullish(),
  deployment: z.looseObject({}).nullish(),
})

const textListForm = z.array(z.string().nullable()).nullish()
const flagForm = z.boolean().nullish()
const textForm = z.string().nullish()
const objectForm = z.looseObject({}).nullish()

/** The form of a resource in a deployment or a journal entry. */
export const storedResourceForm = z.looseObject({
  urn: z.string().min(1),
  type: z.string().min(1),
  custom: flagForm,
  delete: flagForm,
  id: textForm,
  inputs: objectForm,
  outputs: objectForm,
  parent: textForm,
  protect: flagForm,
  external: flagForm,
  dependencies: textListForm,
  initErrors: textListForm,
  provider: textForm,
  propertyDependencies: z.record(z.string(), textListForm).nullish(),
  pendingReplacement: flagForm,
  deletedWith: textForm,
  replaceWith: textListForm,
  aliases: textListForm,
})

/** The attempt of a pending create, by which a late outcome of the attempt is recognized. */
const originForm = z
  .object({ deployment: z.string(), operation: z.number(), attempt: z.number() })
  .optional()

const pendingOperationsForm = z
  .array(z.looseObject({ resource: storedResourceForm, type: z.string(), origin: originForm }))
  .nullish()

/** The form of a deployment. */
export const storedDeploymentForm = z.looseObject({
  manifest: z.looseObject({ time: textForm, magic: textForm, version: textForm }).nullish(),
  secrets_providers: z.looseObject({ type: z.string() }).nullish(),
  resources: z.array(storedResourceForm).nullish(),
  pending_operations: pendingOperationsForm,
  /**
   * Another name of the pending operations. Checkpoints that clients of Pulumi send as differences
   * use this name.
   */
  pendingOperations: pendingOperationsForm,
  metadata: objectForm,
  snippets: z.array(z.unknown()).nullish(),
  extensions: objectForm,
})

/** A validated envelope of any version. Its resources are not converted yet, or are absent. */
export interface EnvelopeFrame {
  readonly version: number
  readonly features: readonly string[]
  readonly deployment: z.infer<typeof storedDeploymentForm> | null
  /** The fields that this version of Antichain does not know. */
  readonly unknownFields: StoredJsonObject
}

/** Validates and converts a parsed envelope. Throws STATE_INVALID and STATE_TOO_NEW. */
export function readEnvelope(json: unknown): StoredEnvelope {
  const frame = readEnvelopeFrame(json)
  const resources = frame.deployment?.resources ?? []
  return completeEnvelope(
    frame,
    resources.map(resource => readResource(resource, frame.version)),
  )
}

/**
 * Validates a parsed envelope, whose resources may be absent. Throws STATE_INVALID and
 * STATE_TOO_NEW.
 */
export function readEnvelopeFrame(json: unknown): EnvelopeFrame {
  const fault = findDocumentFault(json, documentDepthMax)
  if (fault !== undefined) throw createFaultError(fault, listRawResources(json).find(hasHugeNumber))
  const envelope = requireForm(envelopeForm, json, 'the envelope')
  const { version = 0 } = envelope
  if (version > 4)
    throw createError(
      'STATE_TOO_NEW',
      `the deployment has the unknown version ${version}; known versions are 1 to 4`,
    )
  if (version < 1)
    throw createError('STATE_INVALID', `the deployment has version ${version}, which is too old`)
  const features = version >= 4 ? (envelope.features ?? []) : []
  const knownNames: readonly string[] = knownFeatures
  const unknownFeatures = features.filter(feature => !knownNames.includes(feature))
  if (unknownFeatures.length > 0)
    throw createError(
      'STATE_TOO_NEW',
      `the deployment has unsupported features: ${unknownFeatures.join(', ')}`,
    )
  const { deployment } = envelope
  return {
    version,
    features,
    deployment:
      deployment == null ? null : requireForm(storedDeploymentForm, deployment, 'the deployment'),
    unknownFields: selectUnknownEnvelopeFields(envelope),
  }
}

/** Returns the envelope with this frame and these resources. Its version is 3 or 4. */
export function completeEnvelope(
  frame: EnvelopeFrame,
  resources: readonly StoredResource[],
): StoredEnvelope {
  const { version, features, deployment, unknownFields } = frame
  return {
    version: Math.max(version, 3),
    ...(features.length > 0 ? { features } : {}),
    deployment: deployment === null ? null : completeDeployment(frame, deployment, resources),
    ...unknownFields,
  }
}

/**
 * Validates and converts a resource of an envelope. `index`: its position, for errors. Throws
 * STATE_INVALID.
 */
export function readResourceOfEnvelope(
  { version }: EnvelopeFrame,
  raw: unknown,
  index: number,
): StoredResource {
  // The envelope, the deployment and the list are three levels.
  const fault = findDocumentFault(raw, documentDepthMax - 3)
  if (fault !== undefined) throw createFaultError(fault, raw)
  const path = `resources.${index}`
  return readResource(
    requireForm(storedResourceForm, raw, 'the deployment', {
      path,
      resource: describeOwner(raw),
    }),
    version,
  )
}

/** Returns ` of <URN>` for a resource with a URN, and otherwise ''. */
function describeOwner(raw: unknown): string {
  const { urn } = (raw ?? {}) as { readonly urn?: unknown }
  return typeof urn === 'string' && urn !== '' ? ` of ${urn}` : ''
}

/** Returns the resources of a parsed envelope, which is not validated yet. */
function listRawResources(json: unknown): readonly unknown[] {
  const { deployment } = (json ?? {}) as { readonly deployment?: unknown }
  const { resources } = (deployment ?? {}) as { readonly resources?: unknown }
  return Array.isArray(resources) ? resources : []
}

function hasHugeNumber(raw: unknown): boolean {
  return findDocumentFault(raw, documentDepthMax) === 'number'
}

/** Returns the error of a fault. `raw`: the resource that has the fault, if it is known. */
function createFaultError(fault: DocumentFault, raw: unknown): Error {
  const message =
    fault === 'depth'
      ? `the deployment is nested deeper than ${documentDepthMax} levels`
      : `a number${describeOwner(raw)} exceeds the range of a double`
  return createError('STATE_INVALID', message)
}

/**
 * Validates a value. Returns the value itself, because zod's copies lose keys such as `__proto__`.
 */
function requireForm<T>(
  form: z.ZodType<T>,
  raw: unknown,
  subject: string,
  { path: parentPath, resource } = { path: '', resource: '' },
): T {
  const result = parseForm(form, raw)
  if (result.success) return raw as T
  const [issue] = result.error.issues
  const path = [parentPath, ...(issue?.path ?? [])].filter(part => part !== '').join('.')
  const location = path === '' ? '' : ` at '${path}'${resource}`
  throw createError('STATE_INVALID', `${subject} is malformed${location}: ${issue?.message ?? ''}`)
}

function completeDeployment(
  { version, features, unknownFields }: EnvelopeFrame,
  json: z.infer<typeof storedDeploymentForm>,
  resources: readonly StoredResource[],
): StoredDeployment {
  const metadata = (json.metadata ?? {}) as StoredJsonObject
  const { manifest, secrets_providers: secrets, extensions } = json
  const pending = (json.pending_operations ?? json.pendingOperations ?? []).map(operation => ({
    resource: readResource(operation.resource, version),
    type: operation.type,
    ...(operation.origin === undefined ? {} : { origin: operation.origin }),
  }))
  return {
    manifest: {
      ...manifest,
      time: manifest?.time ?? emptyManifest.time,
      magic: manifest?.magic ?? '',
      version: manifest?.version ?? '',
    },
    ...(secrets ? { secrets_providers: secrets } : {}),
    ...(resources.length > 0 ? { resources } : {}),
    ...(pending.length > 0 ? { pending_operations: pending } : {}),
    metadata: features.includes('byteString') ? { ...metadata, [byteStringMark]: true } : metadata,
    ...(json.snippets?.length ? { snippets: json.snippets as readonly Json[] } : {}),
    ...(extensions && Object.keys(extensions).length > 0
      ? { extensions: extensions as StoredJsonObject }
      : {}),
    ...selectUnknownDeploymentFields(json),
    ...withEnvelopeFields(unknownFields),
  }
}

function readResource(raw: z.infer<typeof storedResourceForm>, version: number): StoredResource {
  const json = raw as StoredJsonObject
  const migrated =
    version === 1 ? migrateFromV2(migrateFromV1(json)) : version === 2 ? migrateFromV2(json) : json
  const custom = migrated['custom'] === true
  if (!custom && typeof json['id'] === 'string' && json['id'] !== '')
    throw createError('STATE_INVALID', `the component ${JSON.stringify(json['urn'])} has an id`)
  const completeResource = 'custom' in migrated ? migrated : { ...migrated, custom }
  return completeResource as StoredResource
}
