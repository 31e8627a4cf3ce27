import { formatGoJson } from '../../../values/go-json.ts'
import { type PropertyMap, type PropertyValue, secretOf } from '../../../values/value.ts'
import { stripSecrets } from '../../../values/special-values.ts'
import type { CtyPath } from '../values/cty-path.ts'
import {
  type LosslessJson,
  type LosslessObject,
  formatLosslessJson,
  isLosslessArray,
  isLosslessObject,
  parseLosslessJson,
} from '../values/lossless-json.ts'
import { formatPathJson, readPathJson } from '../values/path-json.ts'
import { bridgeMetaKey, formatBridgeMeta } from './bridge-meta.ts'
import { digestOutputs } from './outputs-digest.ts'

/** The output with the record of the object, a secret text. */
const recordKey = '__terraform'

/** An object as Terraform's core stores it. */
export interface StoredObject {
  readonly typeName: string
  /** The version of the resource's schema. */
  readonly schemaVersion: number
  /** The attributes as JSON, with all digits. */
  readonly stateJson: string
  readonly privateData: Uint8Array
  readonly identityJson?: string | undefined
  readonly identitySchemaVersion?: number | undefined
  /** Whether the creation failed. The object must then be replaced. */
  readonly isTainted: boolean
  /** The parts that are secret in the configuration or the schema. */
  readonly sensitivePaths: readonly CtyPath[]
}

/**
 * Returns outputs with the record of their object, and with the output `__meta` for Pulumi's
 * bridge. The record has a digest of the outputs, by which `readStoredObject` notices a later
 * change.
 */
export function writeStoredObject(outputs: PropertyMap, object: StoredObject): PropertyMap {
  const { typeName, schemaVersion, stateJson, privateData, sensitivePaths } = object
  const { identityJson, identitySchemaVersion } = object
  const members: readonly (readonly [string, string | undefined])[] = [
    ['type', formatGoJson(typeName)],
    ['schemaVersion', String(schemaVersion)],
    ['state', stateJson],
    ['private', formatGoJson(Buffer.from(privateData).toString('base64'))],
    ['identity', identityJson],
    ['identitySchemaVersion', identitySchemaVersion?.toString()],
    ['isTainted', object.isTainted ? 'true' : undefined],
    ['sensitive', formatPaths(sensitivePaths)],
    ['outputsDigest', formatGoJson(digestOutputs(outputs))],
  ]
  const record = members.flatMap(([name, json]) => (json === undefined ? [] : `"${name}":${json}`))
  const meta = formatBridgeMeta({ schemaVersion, privateData })
  const written = new Map<string, PropertyValue>(outputs)
  if (meta === undefined) written.delete(bridgeMetaKey)
  else written.set(bridgeMetaKey, meta)
  return written.set(recordKey, secretOf(`{${record.join(',')}}`))
}

function formatPaths(paths: readonly CtyPath[]): string | undefined {
  return paths.length === 0 ? undefined : `[${paths.map(formatPathJson).join(',')}]`
}

/**
 * Returns the object from the record in its outputs. Returns undefined if there is no valid record,
 * or if the outputs were changed later, because the record is then out of date.
 */
export function readStoredObject(outputs: PropertyMap): StoredObject | undefined {
  const text = stripSecrets(outputs.get(recordKey) ?? null)
  const record = typeof text === 'string' ? parseLosslessJson(text) : undefined
  if (record === undefined || !isLosslessObject(record)) return undefined
  if (record.get('outputsDigest') !== digestOutputs(outputs)) return undefined
  const typeName = record.get('type')
  const schemaVersion = readInteger(record, 'schemaVersion')
  const state = record.get('state')
  const privateText = record.get('private')
  if (typeof typeName !== 'string' || typeof privateText !== 'string') return undefined
  if (schemaVersion === undefined || state === undefined) return undefined
  const identity = record.get('identity')
  return {
    typeName,
    schemaVersion,
    stateJson: formatLosslessJson(state),
    privateData: Buffer.from(privateText, 'base64'),
    identityJson: identity === undefined ? undefined : formatLosslessJson(identity),
    identitySchemaVersion: readInteger(record, 'identitySchemaVersion'),
    isTainted: record.get('isTainted') === true,
    sensitivePaths: readPaths(record.get('sensitive')),
  }
}

function readInteger(record: LosslessObject, name: string): number | undefined {
  const json = record.get(name)
  const isNumber = typeof json === 'object' && json !== null && 'source' in json
  return isNumber && /^\d{1,15}$/.test(json.source) ? Number(json.source) : undefined
}

function readPaths(json: LosslessJson | undefined): readonly CtyPath[] {
  if (json === undefined || !isLosslessArray(json)) return []
  return json.flatMap(item => {
    const path = readPathJson(item)
    return path === undefined ? [] : [path]
  })
}
