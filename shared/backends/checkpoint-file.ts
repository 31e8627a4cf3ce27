import * as z from 'zod'
import { type DeployError, createError, hasCode } from '../errors/error.ts'
import { readEnvelope } from '../state/envelope.ts'
import { printCompactJson } from '../state/print-envelope.ts'
import type { Json, StoredEnvelope } from '../state/stored.ts'
import type { StoredJsonObject } from '../state/stored-fields.ts'
import { selectUnknownEnvelopeFields } from '../state/unknown-fields.ts'
import { describeJsonFault } from '../values/json-fault.ts'
import { stacksPrefix } from './backend-keys.ts'
import { decompress } from './compression.ts'
import { documentDepthMax, isNestedDeeper } from '../values/nesting.ts'
import { parseForm } from '../values/parse-form.ts'

const checkpointForm = z.looseObject({
  version: z.int().optional(),
  features: z.array(z.string()).nullish(),
  checkpoint: z.looseObject({ latest: z.looseObject({}).nullish() }).nullish(),
  // Without a version, the file is the checkpoint itself.
  latest: z.looseObject({}).nullish(),
})

/**
 * The contents of a checkpoint file: the state with the unknown fields of the file, and the other
 * fields of the checkpoint.
 */
export interface CheckpointFile {
  readonly envelope: StoredEnvelope
  /**
   * The fields of the checkpoint except for `stack`, `latest`, `version` and `features`. Pulumi's
   * clients drop them when they write the checkpoint again.
   */
  readonly checkpointFields: StoredJsonObject
}

/** Returns the state of a checkpoint. Throws like `parseCheckpointFile`. */
export function parseCheckpoint(bytes: Uint8Array, key: string): StoredEnvelope {
  return parseCheckpointFile(bytes, key).envelope
}

/**
 * Reads a checkpoint of any version. For a stack that was never deployed, the field `deployment` of
 * the envelope is null. Throws BACKEND_INVALID for a truncated or malformed object, and
 * STATE_TOO_NEW for an unknown version or feature.
 */
export function parseCheckpointFile(bytes: Uint8Array, key: string): CheckpointFile {
  const json = parseJsonObject(decompress(bytes, key), key)
  const parsed = parseForm(checkpointForm, json)
  if (!parsed.success) throw createInvalidError(key, 'it is not a checkpoint')
  const { version = 0, checkpoint, latest } = json as z.infer<typeof checkpointForm>
  if (version > 0 && !checkpoint) throw createInvalidError(key, "it has no 'checkpoint'")
  const deployment = (version === 0 ? (checkpoint?.latest ?? latest) : checkpoint?.latest) ?? null
  try {
    // The file of a new stack has version 0. A file from before version 1 has none. Both are read
    // as version 1, the oldest version of an envelope.
    const envelopeVersion = version === 0 ? 1 : version
    // Without 'checkpoint', the fields of the file belong to the checkpoint, and none to the
    // envelope except for `features`.
    const { checkpoint: _checkpoint, ...fields } = checkpoint
      ? json
      : { features: json['features'] }
    return {
      envelope: readEnvelope({ ...fields, version: envelopeVersion, deployment }),
      checkpointFields: otherFieldsOf(checkpoint ?? json),
    }
  } catch (thrown) {
    if (hasCode(thrown, 'STATE_TOO_NEW'))
      throw createError('STATE_TOO_NEW', `the object ${key} of the backend: ${thrown.message}`, {
        ...{ details: thrown.details, cause: thrown },
        hint: 'Use the newer client that wrote the object, or a newer antichain.',
      })
    if (!hasCode(thrown, 'STATE_INVALID')) throw thrown
    throw createInvalidError(key, thrown.message)
  }
}

function otherFieldsOf(checkpoint: object): StoredJsonObject {
  const names = ['stack', 'latest', 'version', 'features']
  const entries: [string, Json][] = Object.entries(checkpoint)
  return Object.fromEntries(entries.filter(([name]) => !names.includes(name)))
}

/**
 * Prints the checkpoint of a stack, byte for byte as Pulumi's command line does. Fields that this
 * version does not know are printed too.
 */
export function printCheckpoint(
  stack: string,
  envelope: StoredEnvelope,
  checkpointFields: StoredJsonObject = {},
): Uint8Array {
  const { version, features, deployment } = envelope
  const latest: unknown = deployment
  const { checkpoint: _checkpoint, ...unknownFields } = selectUnknownEnvelopeFields(envelope)
  return Buffer.from(
    printCompactJson({
      version,
      ...(features === undefined ? {} : { features }),
      checkpoint: {
        stack,
        ...checkpointFields,
        ...(deployment === null ? {} : { latest: latest as Json }),
      },
      ...unknownFields,
    }),
  )
}

/** Returns the checkpoint of a stack that has just been created. */
export function printEmptyCheckpoint(stack: string): Uint8Array {
  return Buffer.from(printCompactJson({ version: 0, checkpoint: { stack } }))
}

/** Maximum nesting depth of an object: that of a state, and of the fields around it. */
const objectDepthMax = documentDepthMax + 8

/** Parses an object of the backend as a JSON object. Throws BACKEND_INVALID. */
export function parseJsonObject(bytes: Uint8Array, key: string): Readonly<Record<string, unknown>> {
  let json: unknown
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    // The message of the parser quotes the text, which may have secrets.
    throw createInvalidError(key, describeJsonFault(bytes))
  }
  if (isNestedDeeper(json, objectDepthMax))
    throw createInvalidError(key, `it is nested deeper than ${objectDepthMax} levels`)
  if (typeof json === 'object' && json !== null && !Array.isArray(json))
    return json as Readonly<Record<string, unknown>>
  throw createInvalidError(key, 'it is not a JSON object')
}

/** Returns the error of an object. Only checkpoints have copies in the backend. */
function createInvalidError(key: string, reason: string): DeployError {
  const message = `the object ${key} of the backend is invalid: ${reason}`
  const hint =
    key.startsWith(stacksPrefix) && !key.endsWith('.pulumi-tags') ? {} : { hint: copyHint }
  return createError('BACKEND_INVALID', message, hint)
}

/** The hint for an object that has no copy in the backend. */
const copyHint = 'Restore the named object from a backup of the backend, or remove it.'
