import { posix } from 'node:path'

/** A file of an archive. */
export interface ArchiveMember {
  readonly name: string
  readonly data: Uint8Array
}

const blockBytes = 512
/** Size of the field for the name. */
const nameBytes = 100

/**
 * Returns the bytes of one tar member exactly as Go's writer creates them, because hashes cover
 * these bytes. The format is ustar, with an additional PAX header if the name is not ASCII or does
 * not fit (docs/spec/property-values.md#assets-and-archives).
 */
export function createTarBlocks({ name, data }: ArchiveMember): readonly Uint8Array[] {
  return [...headersOf(name, data.length), data, createPadding(data.length)]
}

/** The blocks after the last member. */
export const tarEnd: Uint8Array = Buffer.alloc(2 * blockBytes)

function createPadding(length: number): Uint8Array {
  return Buffer.alloc((blockBytes - (length % blockBytes)) % blockBytes)
}

function headersOf(name: string, size: number): readonly Uint8Array[] {
  const nameFields = splitName(name)
  if (nameFields !== undefined) return [createHeader({ ...nameFields, size, kind: '0' })]
  const record = createPaxRecord('path', name)
  const ascii = toAscii(name)
  const nameStart = name.lastIndexOf('/') + 1
  const paxPath = posix.join(name.slice(0, nameStart), 'PaxHeaders.0', name.slice(nameStart))
  const paxName = toAscii(paxPath).slice(0, nameBytes).replace(/\/+$/, '')
  const pax = createHeader({ name: paxName, prefix: '', size: record.length, kind: 'x' })
  return [
    pax,
    record,
    createPadding(record.length),
    createHeader({ name: truncateName(ascii), prefix: '', size, kind: '0' }),
  ]
}

/**
 * Returns the start of a name that fits into its field. If the field would end with a slash, Go
 * ends the text before it, because some readers would create a folder. Source: `formatString` of
 * Go's archive/tar.
 */
function truncateName(name: string): string {
  const start = name.slice(0, nameBytes)
  if (name.length <= nameBytes || !start.endsWith('/')) return start
  const { length } = start.slice(0, -1).replace(/\/+$/, '')
  return `${start.slice(0, length)}\0${start.slice(length + 1)}`
}

function toAscii(name: string): string {
  return name.replaceAll(/\P{ASCII}/gu, '')
}

/**
 * Splits a name into the fields of the header. Returns undefined if it does not fit, or is not
 * ASCII.
 */
function splitName(name: string): { readonly name: string; readonly prefix: string } | undefined {
  if (toAscii(name) !== name) return undefined
  if (name.length <= nameBytes) return { name, prefix: '' }
  // The field for the prefix has 155 bytes. A slash at the end of a name does not split it.
  const slashIndex = name.lastIndexOf('/', Math.min(155, name.length - 2))
  const baseName = name.slice(slashIndex + 1)
  if (slashIndex <= 0 || baseName.length > nameBytes || baseName === '') return undefined
  return { name: baseName, prefix: name.slice(0, slashIndex) }
}

function createPaxRecord(key: string, value: string): Uint8Array {
  const body = ` ${key}=${value}\n`
  const bodyBytes = Buffer.byteLength(body)
  let length = bodyBytes + String(bodyBytes).length
  if (String(length).length !== String(bodyBytes).length) length = bodyBytes + String(length).length
  return Buffer.from(`${length}${body}`)
}

/**
 * Returns a ustar header. The offsets are those of name, mode, owner, group, size, time, checksum,
 * kind, magic, device numbers and prefix. The checksum counts its own field as spaces.
 */
function createHeader(entry: {
  readonly name: string
  readonly prefix: string
  readonly size: number
  readonly kind: '0' | 'x'
}): Uint8Array {
  const block = Buffer.alloc(blockBytes)
  const isFile = entry.kind === '0'
  block.write(entry.name, 0, 'latin1')
  block.write(isFile ? '0000600\0' : '0000000\0', 100, 'latin1')
  block.write('0000000\0', 108, 'latin1')
  block.write('0000000\0', 116, 'latin1')
  block.write(`${entry.size.toString(8).padStart(11, '0')}\0`, 124, 'latin1')
  block.write('00000000000\0', 136, 'latin1')
  block.write('        ', 148, 'latin1')
  block.write(entry.kind, 156, 'latin1')
  block.write('ustar\0' + '00', 257, 'latin1')
  if (isFile) {
    block.write('0000000\0', 329, 'latin1')
    block.write('0000000\0', 337, 'latin1')
  }
  block.write(entry.prefix, 345, 'latin1')
  const checksum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${checksum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return block
}
