import { createHash } from 'node:crypto'
import { z } from 'zod'
import { error } from '../errors/error.ts'
import type { SecretsManager } from '../secrets/crypter.ts'
import type { Open, Seal } from '../values/stored.ts'
import { decodeResource, encodeResource } from './codec.ts'
import { featuresOf } from './features.ts'
import { migrated } from './migrate.ts'
import { parsePending } from './pending.ts'
import type { IntegrityMark, Manifest, Snapshot } from './snapshot.ts'
import type { Json, StoredDeployment, StoredEnvelope, StoredResource } from './stored.ts'

/** A manifest: the magic is the SHA-256 of the version (`state.md` 1.4). */
export function manifestOf(version: string, time: string): Manifest {
  const magic = version === '' ? '' : createHash('sha256').update(version).digest('hex')
  return { time, magic, version }
}

/** A snapshot in its stored form: secrets sealed under the manager, or shown. */
export function encodeSnapshot(
  snapshot: Snapshot,
  manager: SecretsManager,
  mode: 'sealed' | 'plaintext',
): StoredDeployment {
  const { encrypt } = manager.crypter
  const seal: Seal =
    mode === 'sealed'
      ? plaintext => ({ ciphertext: encrypt(plaintext) })
      : plaintext => ({ plaintext })
  const mark = snapshot.integrityError
  return {
    manifest: snapshot.manifest,
    secrets_providers: { type: manager.type, state: { ...manager.state } },
    ...listed(
      'resources',
      snapshot.resources.map(state => encodeResource(state, seal)),
    ),
    ...listed(
      'pending_operations',
      snapshot.pendingOperations.map(({ resource, type }) => ({
        resource: encodeResource(resource, seal),
        type,
      })),
    ),
    metadata: mark === undefined ? {} : { integrity_error: { ...mark } },
    ...listed(
      'snippets',
      snapshot.snippets.map(snippet => snippet as Json),
    ),
    ...(Object.keys(snapshot.extensions).length === 0
      ? {}
      : { extensions: snapshot.extensions as { [ref: string]: Json } }),
  }
}

function listed<Name extends string, Item>(
  name: Name,
  items: readonly Item[],
): { readonly [Key in Name]?: readonly Item[] } {
  return (items.length === 0 ? {} : { [name]: items }) as {
    readonly [Key in Name]?: readonly Item[]
  }
}

/** A snapshot from its stored form, opened. Throws STATE_INVALID, VALUE_MALFORMED, SECRETS_MALFORMED. */
export function decodeSnapshot(
  stored: StoredDeployment,
  manager: Pick<SecretsManager, 'crypter'>,
): Snapshot {
  const open: Open = ciphertext => manager.crypter.decrypt(ciphertext)
  const mark = stored.metadata['integrity_error']
  return {
    manifest: stored.manifest,
    resources: (stored.resources ?? []).map(resource => decodeResource(resource, open)),
    pendingOperations: (stored.pending_operations ?? []).map(({ resource, type }) => ({
      resource: decodeResource(resource, open),
      type: parsePending(type),
    })),
    integrityError: integrityMarkOf(mark),
    snippets: stored.snippets ?? [],
    extensions: stored.extensions ?? {},
  }
}

/** The same deployment with every secret under another manager. */
export function resealDeployment(
  stored: StoredDeployment,
  open: Open,
  manager: SecretsManager,
): StoredDeployment {
  const opened = decodeSnapshot(stored, { crypter: { decrypt: open, encrypt: text => text } })
  return encodeSnapshot(opened, manager, 'sealed')
}

/** The envelope of a deployment: version 4 when a feature is used (`state.md` 1.1, 1.3). */
export function envelopeOf(deployment: StoredDeployment): StoredEnvelope {
  const features = featuresOf(deployment)
  return features.length === 0 ? { version: 3, deployment } : { version: 4, features, deployment }
}

/** An envelope as `stack export` prints it: four spaces, fields in order, a new line at the end. */
export function printEnvelope(envelope: StoredEnvelope): string {
  const text = JSON.stringify(envelope, undefined, 4)
  return `${text.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`
}

const resourceForm = z.looseObject({
  urn: z.string(),
  type: z.string(),
  custom: z.boolean().default(false),
})
const deploymentForm = z.looseObject({
  manifest: z
    .looseObject({
      time: z.string().default('0001-01-01T00:00:00Z'),
      magic: z.string().default(''),
      version: z.string().default(''),
    })
    .default({ time: '0001-01-01T00:00:00Z', magic: '', version: '' }),
  secrets_providers: z.looseObject({ type: z.string() }).nullish(),
  resources: z.array(resourceForm).nullish(),
  pending_operations: z
    .array(z.looseObject({ resource: resourceForm, type: z.string() }))
    .nullish(),
  metadata: z.looseObject({}).nullish(),
})
const envelopeForm = z.looseObject({
  version: z.number().default(0),
  features: z.array(z.string()).nullish(),
  deployment: z.unknown(),
})

const knownFeatures = new Set([
  'refreshBeforeUpdate',
  'views',
  'hooks',
  'taint',
  'replaceWith',
  'extensionParameterization',
  'snippets-prototype',
  'byteString',
])

/** Reads an exported state. Throws STATE_INVALID for what is no state, STATE_TOO_NEW for what needs more. */
export function parseEnvelope(text: string): StoredEnvelope {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    throw error('STATE_INVALID', 'the state is not JSON (truncated or damaged)', { cause })
  }
  const envelope = envelopeForm.safeParse(json)
  if (!envelope.success)
    throw error('STATE_INVALID', `the file is not an exported state: ${why(envelope.error)}`)
  const { version, features, deployment } = envelope.data
  if (version > 4) throw error('STATE_TOO_NEW', `the deployment version ${version} is too new`)
  if (version < 1)
    throw error('STATE_INVALID', `the deployment version ${version} is too old or missing`)
  const missing =
    version >= 4 ? (features ?? []).filter(feature => !knownFeatures.has(feature)) : []
  if (missing.length > 0)
    throw error(
      'STATE_TOO_NEW',
      `the state uses features that are not known: ${missing.join(', ')}`,
    )
  if (deployment === null || deployment === undefined) return { version: 3, deployment: null }
  const parsed = deploymentForm.safeParse(deployment)
  if (!parsed.success)
    throw error('STATE_INVALID', `the deployment cannot be read: ${why(parsed.error)}`)
  const stored = withoutNulls(parsed.data)
  const result = migrated(stored, version)
  return {
    version: Math.max(3, version),
    ...(features === null || features === undefined ? {} : { features }),
    deployment: result,
  }
}

function withoutNulls(data: z.infer<typeof deploymentForm>): StoredDeployment {
  const { manifest, secrets_providers, resources, pending_operations, metadata, ...rest } = data
  const more = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null))
  return {
    manifest,
    ...(secrets_providers === null || secrets_providers === undefined ? {} : { secrets_providers }),
    ...(resources === null || resources === undefined
      ? {}
      : { resources: resources as StoredResource[] }),
    ...(pending_operations === null || pending_operations === undefined
      ? {}
      : { pending_operations }),
    metadata: metadata ?? {},
    ...more,
  } as StoredDeployment
}

function why(thrown: z.ZodError): string {
  const issue = thrown.issues[0]
  return issue === undefined ? 'its form is wrong' : `${issue.path.join('.')}: ${issue.message}`
}

function integrityMarkOf(mark: Json | undefined): IntegrityMark | undefined {
  if (typeof mark !== 'object' || mark === null) return undefined
  const texts = Object.entries(mark).filter(([key, value]) => ['version', 'command', 'error'].includes(key) && typeof value === 'string')
  return Object.fromEntries(texts)
}
