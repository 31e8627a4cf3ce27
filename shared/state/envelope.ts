import { z } from 'zod'
import { error } from '../errors/error.ts'
import { documentDepthMax, isNestedDeeper } from '../values/nesting.ts'
import { emptyManifest } from './empty-deployment.ts'
import { byteStringMark, knownFeatures } from './features.ts'
import { migrateFromV1, migrateFromV2 } from './migrate.ts'
import type { StoredJsonObject } from './stored-fields.ts'
import type { Json, StoredDeployment, StoredEnvelope, StoredResource } from './stored.ts'

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
  /** The same list, as clients of Pulumi spell it in checkpoints that they send by differences. */
  pendingOperations: pendingOperationsForm,
  metadata: objectForm,
  snippets: z.array(z.unknown()).nullish(),
  extensions: objectForm,
})

/**
 * Parses an envelope of version 1 to 4, and converts it to version 3 or 4. A missing deployment
 * means a new stack. Throws STATE_INVALID for a malformed envelope or an earlier version, and
 * STATE_TOO_NEW for a later version or an unknown feature. Source:
 * docs/spec/state-format.md#envelope.
 */
export function parseEnvelope(text: string): StoredEnvelope {
  return readEnvelope(parseEnvelopeJson(text))
}

/** Validates and converts a parsed envelope. Throws like `parseEnvelope`. */
export function readEnvelope(json: unknown): StoredEnvelope {
  if (isNestedDeeper(json, documentDepthMax))
    throw error('STATE_INVALID', `the deployment is nested deeper than ${documentDepthMax} levels`)
  const envelope = requireForm(envelopeForm, json, 'the envelope')
  const { version = 0 } = envelope
  if (version > 4)
    throw error(
      'STATE_TOO_NEW',
      `the deployment has the unknown version ${version}; known versions are 1 to 4`,
    )
  if (version < 1)
    throw error('STATE_INVALID', `the deployment has version ${version}, which is too old`)
  const features = version >= 4 ? (envelope.features ?? []) : []
  const knownNames: readonly string[] = knownFeatures
  const unknownFeatures = features.filter(feature => !knownNames.includes(feature))
  if (unknownFeatures.length > 0)
    throw error(
      'STATE_TOO_NEW',
      `the deployment has unsupported features: ${unknownFeatures.join(', ')}`,
    )
  const deployment = envelope.deployment ?? null
  return {
    version: Math.max(version, 3),
    ...(features.length > 0 ? { features } : {}),
    deployment: deployment === null ? null : readDeployment(deployment, version, features),
  }
}

function parseEnvelopeJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw error('STATE_INVALID', 'the deployment is not JSON', { cause })
  }
}

/**
 * Validates a value. Returns the value itself, because zod's copies lose keys such as `__proto__`.
 */
function requireForm<T>(form: z.ZodType<T>, raw: unknown, subject: string): T {
  const result = form.safeParse(raw)
  if (result.success) return raw as T
  const [issue] = result.error.issues
  const path = issue?.path.join('.') ?? ''
  throw error('STATE_INVALID', `${subject} is malformed at '${path}': ${issue?.message ?? ''}`)
}

function readDeployment(
  raw: unknown,
  version: number,
  features: readonly string[],
): StoredDeployment {
  const json = requireForm(storedDeploymentForm, raw, 'the deployment')
  const readStoredResource = (rawResource: unknown): StoredResource =>
    readResource(rawResource as StoredJsonObject, version)
  const metadata = (json.metadata ?? {}) as StoredJsonObject
  const { manifest, secrets_providers: secrets, extensions } = json
  const pending = (json.pending_operations ?? json.pendingOperations ?? []).map(operation => ({
    resource: readStoredResource(operation.resource),
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
    ...(json.resources?.length ? { resources: json.resources.map(readStoredResource) } : {}),
    ...(pending.length > 0 ? { pending_operations: pending } : {}),
    metadata: features.includes('byteString') ? { ...metadata, [byteStringMark]: true } : metadata,
    ...(json.snippets?.length ? { snippets: json.snippets as readonly Json[] } : {}),
    ...(extensions && Object.keys(extensions).length > 0
      ? { extensions: extensions as StoredJsonObject }
      : {}),
  }
}

function readResource(json: StoredJsonObject, version: number): StoredResource {
  const migrated =
    version === 1 ? migrateFromV2(migrateFromV1(json)) : version === 2 ? migrateFromV2(json) : json
  const custom = migrated['custom'] === true
  if (!custom && typeof json['id'] === 'string' && json['id'] !== '')
    throw error('STATE_INVALID', `the component ${JSON.stringify(json['urn'])} has an id`)
  const completeResource = 'custom' in migrated ? migrated : { ...migrated, custom }
  return completeResource as StoredResource
}
