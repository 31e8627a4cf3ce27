import { createHash } from 'node:crypto'
import type { SecretsManager } from '../secrets/crypter.ts'
import {
  decodeStored,
  encodeStored,
  type OpenCiphertext,
  type SealPlaintext,
} from '../values/value-codec.ts'
import { containsSpecial } from '../values/special-values.ts'
import { signatureKey, signatures } from '../values/wire-options.ts'
import { decodeResource, encodeResource, storedFormOf } from './resource-codec.ts'
import { keepNullLists } from './null-lists.ts'
import { sealReusingCiphertexts } from './seal-reusing-ciphertexts.ts'
import { byteStringMark, envelopeVersionOf, findFeatures } from './features.ts'
import type { ResourceState } from './resource.ts'
import type { IntegrityMark, Manifest, PendingOperationType, Snapshot } from './snapshot.ts'
import { isJsonObject, type StoredJsonObject, readTextField } from './stored-fields.ts'
import { createPauser } from './stream/pause.ts'
import {
  keepUnknownResourceFields,
  keepUnknownDeploymentFields,
  selectUnknownDeploymentFields,
} from './unknown-fields.ts'
import {
  envelopeFieldsKey,
  type Json,
  type StoredDeployment,
  type StoredEnvelope,
  type StoredResource,
} from './stored.ts'

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
 * The encryption of encoded secrets. `kept`: a secret that was decoded from a ciphertext keeps it,
 * and any other secret is encrypted. `sealed`: each secret is encrypted again. `plaintext`: no
 * secret is encrypted (`stack export --show-secrets`).
 */
export type SecretsMode = 'kept' | 'sealed' | 'plaintext'

/** Encodes a snapshot. Other work of the process continues meanwhile. */
export async function encodeSnapshot(
  snapshot: Snapshot,
  manager: SecretsManager,
  mode: SecretsMode,
): Promise<StoredDeployment> {
  return encodeDeployment(snapshot, snapshot.resources, { manager, mode })
}

/**
 * Decodes a stored deployment with the secrets manager `source`, and encodes it with the secrets
 * manager of `target`. The resources are decoded one by one, so they are never all in memory in
 * decoded form. Pending operations keep their origins. Throws the errors of `decodeSnapshot`.
 */
export async function recodeDeployment(
  stored: StoredDeployment,
  source: SecretsManager,
  target: { readonly manager: SecretsManager; readonly mode: SecretsMode },
): Promise<StoredDeployment> {
  const { resources = [], ...frame } = stored
  const open: OpenCiphertext = source.crypter.decrypt
  const states = decodeResources(resources, open)
  const snapshot = await decodeSnapshot(frame, source)
  const encoded = await encodeDeployment(snapshot, states, { ...target, earlier: stored })
  return keepUnknownDeploymentFields(encoded, stored)
}

function* decodeResources(
  resources: readonly StoredResource[],
  open: OpenCiphertext,
): Generator<ResourceState> {
  for (const resource of resources) yield decodeResource(resource, open, 'kept')
}

async function encodeDeployment(
  { pendingOperations: pending, manifest, integrityError, snippets, extensions }: Snapshot,
  states: Iterable<ResourceState>,
  target: {
    readonly manager: SecretsManager
    readonly mode: SecretsMode
    /**
     * The earlier stored form of the deployment. The unknown fields and null lists of its resources
     * are kept, and the origins of its pending operations.
     */
    readonly earlier?: StoredDeployment
  },
): Promise<StoredDeployment> {
  const { manager, mode, earlier } = target
  const seal = mode === 'plaintext' ? revealSecret : createSeal(manager)
  let hasByteStrings = false
  const encode = (state: ResourceState): StoredResource => {
    hasByteStrings ||= containsByteStrings(state)
    const storedForm = mode === 'kept' ? storedFormOf(state) : undefined
    return storedForm === undefined
      ? encodeResource(state, seal)
      : sealReusingCiphertexts(state, storedForm, manager.crypter)
  }
  const pauser = createPauser()
  const resources: StoredResource[] = []
  for (const state of states) {
    resources.push(keepEarlierForm(encode(state), earlier?.resources?.[resources.length]))
    await pauser.addResource()
  }
  const pendingOperations = pending.map(({ resource, type }, index) => {
    const earlierOperation = earlier?.pending_operations?.[index]
    const { origin } = earlierOperation ?? {}
    return {
      resource: keepEarlierForm(encode(resource), earlierOperation?.resource),
      type,
      ...(origin === undefined ? {} : { origin }),
    }
  })
  const { time, magic, version } = manifest
  return {
    manifest: { time, magic, version },
    secrets_providers: { type: manager.type, state: manager.state },
    ...(resources.length > 0 ? { resources } : {}),
    ...(pending.length > 0 ? { pending_operations: pendingOperations } : {}),
    metadata: encodeMetadata(integrityError, hasByteStrings),
    ...(snippets.length > 0 ? { snippets: snippets as readonly Json[] } : {}),
    ...(Object.keys(extensions).length > 0 ? { extensions: extensions as StoredJsonObject } : {}),
  }
}

/** Returns an encoded resource with the unknown fields and null lists of its earlier form. */
function keepEarlierForm(
  encoded: StoredResource,
  earlierForm: StoredResource | undefined,
): StoredResource {
  return earlierForm === undefined
    ? encoded
    : keepNullLists(keepUnknownResourceFields(encoded, earlierForm), earlierForm)
}

function createSeal(manager: SecretsManager): SealPlaintext {
  return plaintext => ({ ciphertext: manager.crypter.encrypt(plaintext) })
}

const revealSecret: SealPlaintext = plaintext => ({ plaintext })

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

/**
 * Decodes and decrypts a stored deployment. Other work of the process continues meanwhile. Throws
 * VALUE_MALFORMED, and SECRETS_MALFORMED for a secret that `manager` cannot decrypt.
 */
export async function decodeSnapshot(
  stored: StoredDeployment,
  manager: SecretsManager,
): Promise<Snapshot> {
  const open: OpenCiphertext = manager.crypter.decrypt
  const { resources = [], pending_operations: pending = [] } = stored
  const pauser = createPauser()
  const states: ResourceState[] = []
  for (const resource of resources) {
    states.push(decodeResource(resource, open))
    await pauser.addResource()
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

/**
 * Returns the envelope of a deployment: version 4 if it needs features, else version 3. Other work
 * of the process continues meanwhile.
 */
export async function envelopeOf(deployment: StoredDeployment): Promise<StoredEnvelope> {
  const features = await findFeatures(deployment)
  const { [byteStringMark]: _mark, ...metadata } = deployment.metadata
  const cleanDeployment = { ...deployment, metadata }
  const version = envelopeVersionOf(features)
  const unknownFields = deployment[envelopeFieldsKey]
  return {
    version,
    ...(version === 3 ? {} : { features }),
    deployment: cleanDeployment,
    ...unknownFields,
  }
}

/**
 * Encrypts every secret of a state with `manager`, and records that manager in the state. `open`
 * decrypts the ciphertexts of the previous manager. Plaintext secrets are encrypted too. Everything
 * else stays unchanged. Throws VALUE_MALFORMED, SECRETS_MALFORMED.
 */
export function resealDeployment(
  stored: StoredDeployment,
  open: OpenCiphertext,
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
    ...selectUnknownDeploymentFields(stored),
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

function resealValue(json: Json, open: OpenCiphertext, seal: SealPlaintext): Json {
  if (Array.isArray(json)) return json.map((item: Json) => resealValue(item, open, seal))
  if (!isJsonObject(json)) return json
  if (json[signatureKey] === signatures.secret) return encodeStored(decodeStored(json, open), seal)
  return Object.fromEntries(
    Object.entries(json).map(([key, item]) => [key, resealValue(item, open, seal)]),
  )
}
