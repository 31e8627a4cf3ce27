import { createHash } from 'node:crypto'
import type { SecretsManager } from '../secrets/crypter.ts'
import { decodeStored, encodeStored, type Open, type Seal } from '../values/value-codec.ts'
import { containsSpecial } from '../values/special-values.ts'
import { signatureKey, signatures } from '../values/wire-options.ts'
import { decodeResource, encodeResource, storedFormOf } from './resource-codec.ts'
import { sealLikeOld } from './seal-like-old.ts'
import { byteStringMark, featuresOf } from './features.ts'
import type { ResourceState } from './resource.ts'
import type { IntegrityMark, Manifest, PendingOperationType, Snapshot } from './snapshot.ts'
import { isJsonObject, type StoredJsonObject, readTextField } from './stored-fields.ts'
import { createPauser } from './stream/pause.ts'
import type { Json, StoredDeployment, StoredEnvelope, StoredResource } from './stored.ts'

export { parseEnvelope } from './stream/parse-envelope.ts'
export { printEnvelope, printEnvelopeInChunks } from './print-envelope.ts'

/**
 * Creates the manifest of a snapshot; `time` is RFC 3339 text. The magic only detects a version
 * mismatch.
 */
export function manifestOf(version: string, time: string): Manifest {
  const magic = version === '' ? '' : createHash('sha256').update(version, 'utf8').digest('hex')
  return { time, magic, version }
}

/**
 * Encodes a snapshot. In the mode `kept`, each secret keeps the ciphertext from which `manager`
 * decoded it. In the mode `sealed`, each secret is encrypted. In the mode `plaintext`, secrets are
 * not encrypted (`stack export --show-secrets`).
 */
export function encodeSnapshot(
  snapshot: Snapshot,
  manager: SecretsManager,
  mode: 'kept' | 'sealed' | 'plaintext',
): StoredDeployment {
  const seal = mode === 'plaintext' ? revealSecret : createSeal(manager)
  const encode = (state: ResourceState): StoredResource => {
    const storedForm = mode === 'kept' ? storedFormOf(state) : undefined
    return storedForm === undefined
      ? encodeResource(state, seal)
      : sealLikeOld(state, storedForm, manager.crypter)
  }
  const { resources, pendingOperations: pending, snippets, extensions } = snapshot
  const states = [...resources, ...pending.map(operation => operation.resource)]
  const { time, magic, version } = snapshot.manifest
  return {
    manifest: { time, magic, version },
    secrets_providers: { type: manager.type, state: manager.state },
    ...(resources.length > 0 ? { resources: resources.map(encode) } : {}),
    ...(pending.length > 0
      ? {
          pending_operations: pending.map(({ resource, type }) => ({
            resource: encode(resource),
            type,
          })),
        }
      : {}),
    metadata: encodeMetadata(snapshot.integrityError, states.some(containsByteStrings)),
    ...(snippets.length > 0 ? { snippets: snippets as readonly Json[] } : {}),
    ...(Object.keys(extensions).length > 0 ? { extensions: extensions as StoredJsonObject } : {}),
  }
}

function createSeal(manager: SecretsManager): Seal {
  return plaintext => ({ ciphertext: manager.crypter.encrypt(plaintext) })
}

const revealSecret: Seal = plaintext => ({ plaintext })

function containsByteStrings(state: ResourceState): boolean {
  const { inputs, outputs, replacementTrigger } = state
  return [inputs, outputs, replacementTrigger].some(value =>
    containsSpecial(value, special => special.kind === 'bytes'),
  )
}

function encodeMetadata(
  integrityMark: IntegrityMark | undefined,
  hasByteStrings: boolean,
): StoredJsonObject {
  const { version, command, error: message } = integrityMark ?? {}
  const fields = {
    ...(version === undefined ? {} : { version }),
    ...(command === undefined ? {} : { command }),
    ...(message === undefined ? {} : { error: message }),
  }
  return {
    ...(integrityMark === undefined ? {} : { integrity_error: fields }),
    ...(hasByteStrings ? { [byteStringMark]: true } : {}),
  }
}

/** An assumed size, because the size of a stored resource is not known. */
const resourceBytes = 1 << 10

/**
 * Decodes and decrypts a stored deployment. Other work of the process continues meanwhile. Throws
 * VALUE_MALFORMED, and SECRETS_MALFORMED for a secret that `manager` cannot decrypt.
 */
export async function decodeSnapshot(
  stored: StoredDeployment,
  manager: SecretsManager,
): Promise<Snapshot> {
  const open: Open = manager.crypter.decrypt
  const { resources = [], pending_operations: pending = [] } = stored
  const pauser = createPauser()
  const states: ResourceState[] = []
  for (const resource of resources) {
    states.push(decodeResource(resource, open))
    await pauser.addBytes(resourceBytes)
  }
  return {
    manifest: stored.manifest,
    resources: states,
    pendingOperations: pending.map(({ resource, type }) => ({
      resource: decodeResource(resource, open),
      type: type as PendingOperationType,
    })),
    integrityError: decodeIntegrityMark(stored.metadata['integrity_error']),
    snippets: stored.snippets ?? [],
    extensions: stored.extensions ?? {},
  }
}

function decodeIntegrityMark(json: Json | undefined): IntegrityMark | undefined {
  if (!isJsonObject(json)) return undefined
  const readField = (name: 'version' | 'command' | 'error'): IntegrityMark => {
    const value = readTextField(json, name)
    return value === '' ? {} : { [name]: value }
  }
  return { ...readField('version'), ...readField('command'), ...readField('error') }
}

/** Returns the envelope of a deployment: version 4 if it needs features, else version 3. */
export function envelopeOf(deployment: StoredDeployment): StoredEnvelope {
  const features = featuresOf(deployment)
  const { [byteStringMark]: _mark, ...metadata } = deployment.metadata
  const cleanDeployment = { ...deployment, metadata }
  if (features.length === 0) return { version: 3, deployment: cleanDeployment }
  return { version: 4, features, deployment: cleanDeployment }
}

/**
 * Encrypts every secret of a state with `manager`, and records that manager in the state. `open`
 * decrypts the ciphertexts of the previous manager. Plaintext secrets are encrypted too. Everything
 * else stays unchanged. Throws VALUE_MALFORMED, SECRETS_MALFORMED.
 */
export function resealDeployment(
  stored: StoredDeployment,
  open: Open,
  manager: SecretsManager,
): StoredDeployment {
  const seal = createSeal(manager)
  const reseal = (json: Json): Json => resealValue(json, open, seal)
  const resealResource = (state: StoredResource): StoredResource => ({
    ...state,
    ...resealField(state, 'inputs', reseal),
    ...resealField(state, 'outputs', reseal),
    ...resealField(state, 'replacementTrigger', reseal),
  })
  const { resources, pending_operations: pending } = stored
  return {
    manifest: stored.manifest,
    secrets_providers: { type: manager.type, state: manager.state },
    ...(resources === undefined ? {} : { resources: resources.map(resealResource) }),
    ...(pending === undefined
      ? {}
      : {
          pending_operations: pending.map(operation => ({
            ...operation,
            resource: resealResource(operation.resource),
          })),
        }),
    metadata: stored.metadata,
    ...(stored.snippets === undefined ? {} : { snippets: stored.snippets }),
    ...(stored.extensions === undefined ? {} : { extensions: stored.extensions }),
  }
}

function resealField(
  resource: StoredResource,
  field: string,
  reseal: (json: Json) => Json,
): StoredJsonObject {
  const value = resource[field]
  return value === undefined ? {} : { [field]: reseal(value) }
}

function resealValue(json: Json, open: Open, seal: Seal): Json {
  if (Array.isArray(json)) return json.map((item: Json) => resealValue(item, open, seal))
  if (!isJsonObject(json)) return json
  if (json[signatureKey] === signatures.secret) return encodeStored(decodeStored(json, open), seal)
  return Object.fromEntries(
    Object.entries(json).map(([key, item]) => [key, resealValue(item, open, seal)]),
  )
}
