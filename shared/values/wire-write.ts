import { error } from '../errors/error.ts'
import { unknownText } from '../names/provider-reference.ts'
import { nameOf, typeOf } from '../names/urn.ts'
import {
  type Archive,
  type Asset,
  isList,
  isMap,
  type Output,
  type PropertyMap,
  type PropertyValue,
  type ResourceReference,
  type SpecialValue,
  unknown,
} from './value.ts'
import { pathTextOf, setProperty, signatureKey, signatures, type WirePass } from './wire-options.ts'

type Fields = Record<string, unknown>

/** Writes an object, without dropped properties. */
export function writeMap(map: PropertyMap, pass: WirePass): Fields {
  const fields: Fields = {}
  for (const [key, value] of map) {
    pass.path.push(key)
    const written = writeValue(value, pass)
    if (written !== undefined) setProperty(fields, key, written)
    pass.path.pop()
  }
  return fields
}

/** Writes a value. Returns undefined for a dropped unknown. Throws VALUE_MALFORMED. */
export function writeValue(value: PropertyValue, pass: WirePass): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (isMap(value)) return writeMap(value, pass)
  if (isList(value)) return writeList(value, pass)
  return writeSpecial(value, pass)
}

function writeList(list: readonly PropertyValue[], pass: WirePass): unknown[] {
  const items: unknown[] = []
  for (const [index, item] of list.entries()) {
    pass.path.push(index)
    const written = writeValue(item, pass)
    if (written !== undefined) items.push(written)
    pass.path.pop()
  }
  return items
}

function writeSpecial(value: SpecialValue, pass: WirePass): unknown {
  switch (value.kind) {
    case 'unknown':
      return writeUnknown(pass)
    case 'secret':
      return writeSecret(value.value, pass)
    case 'output':
      return writeOutput(value, pass)
    case 'asset':
      return writeAsset(value, pass)
    case 'archive':
      return writeArchive(value, pass)
    case 'reference':
      return writeReference(value, pass)
    case 'bytes':
      if (pass.options.bytes) return { [signatureKey]: signatures.bytes, value: value.base64 }
      throw error(
        'VALUE_MALFORMED',
        `'${pathTextOf(pass)}' is a string that is not UTF-8, which the receiver cannot read`,
      )
  }
}

function writeUnknown(pass: WirePass): unknown {
  const { options } = pass
  if (options.unknowns === 'reject')
    throw error('VALUE_MALFORMED', `'${pathTextOf(pass)}' is unknown where it must be known`)
  if (options.unknowns === 'drop') return undefined
  if (options.outputs && options.upgrade === true) return { [signatureKey]: signatures.output }
  return unknownText
}

function writeSecret(inner: PropertyValue, pass: WirePass): unknown {
  const { options } = pass
  const value = writeValue(inner, pass)
  if (value === undefined || !options.secrets) return value
  if (options.outputs && options.upgrade === true)
    return { [signatureKey]: signatures.output, value, secret: true }
  return { [signatureKey]: signatures.secret, value }
}

function writeOutput(output: Output, pass: WirePass): unknown {
  if (!pass.options.outputs) {
    const bare = output.value === undefined ? unknown : output.value
    return output.secret ? writeSecret(bare, pass) : writeValue(bare, pass)
  }
  const fields: Fields = { [signatureKey]: signatures.output }
  if (output.value !== undefined) {
    const value = writeValue(output.value, pass)
    if (value !== undefined) fields['value'] = value
  }
  if (output.secret) fields['secret'] = true
  if (output.dependencies.length > 0) fields['dependencies'] = [...output.dependencies]
  return fields
}

function writeAsset(asset: Asset, pass: WirePass): Fields {
  const fields: Fields = { [signatureKey]: signatures.asset }
  if (asset.hash !== '') fields['hash'] = asset.hash
  if (pass.options.elideAssets === true || asset.source === undefined) return fields
  for (const [key, text] of Object.entries(asset.source)) if (text !== '') fields[key] = text
  return fields
}

function writeArchive(archive: Archive, pass: WirePass): Fields {
  const fields: Fields = { [signatureKey]: signatures.archive }
  const { hash, source } = archive
  if (hash !== '') fields['hash'] = hash
  if (pass.options.elideAssets === true || source === undefined) return fields
  if ('assets' in source) {
    const members: Fields = {}
    for (const [name, member] of source.assets)
      setProperty(
        members,
        name,
        member.kind === 'asset' ? writeAsset(member, pass) : writeArchive(member, pass),
      )
    fields['assets'] = members
  } else for (const [key, text] of Object.entries(source)) if (text !== '') fields[key] = text
  return fields
}

function writeReference(reference: ResourceReference, pass: WirePass): unknown {
  const { id, urn, name, type, packageVersion } = reference
  if (!pass.options.references) {
    if (id === undefined) return urn
    return typeof id === 'string' && id !== '' ? id : writeUnknown(pass)
  }
  const fields: Fields = { [signatureKey]: signatures.reference, urn }
  // States do not contain name and type; both are derived from the URN.
  fields['name'] = name ?? nameOf(urn)
  fields['type'] = type ?? typeOf(urn)
  if (id !== undefined) fields['id'] = typeof id === 'string' ? id : ''
  if (packageVersion !== '') fields['packageVersion'] = packageVersion
  return fields
}
