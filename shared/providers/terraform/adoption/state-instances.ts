import type { ObjectToUpgrade } from '../driver/prior-object.ts'
import {
  type LosslessJson,
  type LosslessObject,
  formatLosslessJson,
  isLosslessObject,
} from '../values/lossless-json.ts'
import { readPathJson } from '../values/path-json.ts'
import type { CtyPath } from '../values/cty-path.ts'
import {
  type InstanceKey,
  type ModuleStep,
  type ProviderConfigAddress,
  formatConfigAddress,
  formatInstanceAddress,
  parseModulePath,
  parseProviderAddress,
} from './state-addresses.ts'
import type { FieldReader } from './field-reader.ts'

/**
 * An instance of a resource or data source in a state, with its current object or a deposed one.
 */
export interface StateInstance {
  readonly mode: 'managed' | 'data'
  /** The address, such as `module.net["a"].random_pet.dog[0]`. */
  readonly address: string
  /** The address without keys, by which dependencies refer to all instances of a resource. */
  readonly configAddress: string
  readonly modulePath: readonly ModuleStep[]
  readonly name: string
  readonly key: InstanceKey | undefined
  /** The key of a deposed object, which was replaced and not deleted yet. Undefined otherwise. */
  readonly deposedKey: string | undefined
  readonly provider: ProviderConfigAddress
  readonly object: ObjectToUpgrade['stored']
  /** The addresses without keys of the resources on which the object depends. */
  readonly dependencies: readonly string[]
}

/**
 * Reads the objects of a resource. `index`: the position of the resource in the state, from 0 on.
 */
export function readInstances(
  reader: FieldReader,
  resource: LosslessObject,
  index: number,
): readonly StateInstance[] {
  const position = `resource ${index + 1}`
  const mode = reader.readText(resource, 'mode', position)
  const typeName = reader.readText(resource, 'type', position)
  const name = reader.readText(resource, 'name', position)
  if (mode !== 'managed' && mode !== 'data')
    throw reader.createError(`'mode' of ${position} is '${mode}', but must be 'managed' or 'data'`)
  const modulePath = readModulePath(reader, resource, position)
  const addressParts = { mode, typeName, name, modulePath } as const
  const configAddress = formatConfigAddress(addressParts)
  const provider = readProvider(reader, resource, configAddress)
  return reader.readObjects(resource, 'instances', configAddress).map(instance => {
    const key = readKey(reader, instance, configAddress)
    const address = formatInstanceAddress(addressParts, key)
    return {
      mode,
      name,
      modulePath,
      configAddress,
      provider,
      address,
      key,
      deposedKey: reader.readOptionalText(instance, 'deposed', address),
      object: readObject(reader, instance, { typeName, address }),
      dependencies: reader
        .readOptionalItems(instance, 'dependencies', address)
        .filter(item => typeof item === 'string'),
    }
  })
}

function readModulePath(
  reader: FieldReader,
  resource: LosslessObject,
  position: string,
): readonly ModuleStep[] {
  const text = reader.readOptionalText(resource, 'module', position) ?? ''
  const modulePath = parseModulePath(text)
  if (modulePath === undefined)
    throw reader.createError(`'module' of ${position} is '${text}', which is not an address`)
  return modulePath
}

function readProvider(
  reader: FieldReader,
  resource: LosslessObject,
  subject: string,
): ProviderConfigAddress {
  const text = reader.readText(resource, 'provider', subject)
  const provider = parseProviderAddress(text)
  if (provider === undefined)
    throw reader.createError(`'provider' of ${subject} is '${text}', which is not an address`)
  return provider
}

function readKey(
  reader: FieldReader,
  instance: LosslessObject,
  subject: string,
): InstanceKey | undefined {
  const key = instance.get('index_key') ?? null
  if (key === null || typeof key === 'string') return key ?? undefined
  if (typeof key === 'object' && 'source' in key) return Number(key.source)
  throw reader.createError(`'index_key' of ${subject} must be a text or a number`)
}

function readObject(
  reader: FieldReader,
  instance: LosslessObject,
  { typeName, address }: { readonly typeName: string; readonly address: string },
): StateInstance['object'] {
  const identity = instance.get('identity') ?? null
  return {
    typeName,
    schemaVersion: reader.readInteger(instance, 'schema_version', address),
    ...readAttributes(reader, instance, address),
    privateData: Buffer.from(reader.readOptionalText(instance, 'private', address) ?? '', 'base64'),
    isTainted: reader.readOptionalText(instance, 'status', address) === 'tainted',
    sensitivePaths: reader
      .readOptionalItems(instance, 'sensitive_attributes', address)
      .map(item => readSensitivePath(reader, item, address)),
    ...(identity === null
      ? {}
      : {
          identityJson: formatLosslessJson(identity),
          identitySchemaVersion: reader.readInteger(instance, 'identity_schema_version', address),
        }),
  }
}

function readAttributes(
  reader: FieldReader,
  instance: LosslessObject,
  address: string,
): Pick<StateInstance['object'], 'stateJson' | 'flatmap'> {
  const attributes = instance.get('attributes') ?? null
  if (isLosslessObject(attributes)) return { stateJson: formatLosslessJson(attributes) }
  const flat = instance.get('attributes_flat') ?? null
  if (attributes !== null || !isLosslessObject(flat))
    throw reader.createError(`${address} has no attributes`)
  const flatmap = [...flat].map(([name, value]) => {
    if (typeof value === 'string') return [name, value] as const
    throw reader.createError(`'${name}' in 'attributes_flat' of ${address} must be a text`)
  })
  return { stateJson: '{}', flatmap: new Map(flatmap) }
}

/**
 * Reads the path of a sensitive value. An unreadable path is an error, because its value would be
 * recorded without encryption.
 */
function readSensitivePath(reader: FieldReader, json: LosslessJson, address: string): CtyPath {
  const path = readPathJson(json)
  if (path === undefined)
    throw reader.createError(`'sensitive_attributes' of ${address} has an invalid path`)
  return path
}
