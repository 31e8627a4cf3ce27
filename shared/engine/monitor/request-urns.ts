import { BinaryReader } from '@bufbuild/protobuf/wire'
import { createError } from '../../errors/error.ts'
import { isUrn, type Urn } from '../../names/urn.ts'

/**
 * Parses a URN of a request. `role`: its role in the request, for example `dependency`. Throws
 * RESOURCE_INVALID with the message of Pulumi's monitor.
 */
export function parseRequestUrn(text: string, role: string): Urn {
  if (isUrn(text)) return text
  const fault = text === '' ? 'missing required URN' : `invalid URN ${JSON.stringify(text)}`
  throw createError('RESOURCE_INVALID', `invalid ${role} URN: ${fault}`)
}

/** Parses an optional URN of a request. Returns '' if it is absent. */
export function parseOptionalUrn(text: string, role = 'parent'): Urn | '' {
  return text === '' ? '' : parseRequestUrn(text, role)
}

/** The number of the field `parent` in a registration (proto/pulumi/resource.proto). */
const parentField = 3

/**
 * Returns the parent of an encoded registration, or '' if it has none. The other fields are not
 * decoded.
 */
export function readEncodedParent(encodedRequest: Uint8Array): string {
  const reader = new BinaryReader(encodedRequest)
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag()
    if (field === parentField) return reader.string()
    reader.skip(wireType, field)
  }
  return ''
}
