/** The bytes of tar archives that no honest program writes, by description. */

const blockBytes = 512

interface EntryOptions {
  /** The type of the entry: '0' is a file, '1' a hard link, '2' a symbolic link. */
  readonly type?: string
  readonly sizeBytes?: number
  readonly linkPath?: string
}

/** Returns the header of an entry in a tar archive. The numbers are offsets of its fields. */
function createEntryHeader(path: string, options: EntryOptions = {}): Buffer {
  const { type = '0', sizeBytes = 0, linkPath = '' } = options
  const header = Buffer.alloc(blockBytes)
  header.write(path)
  header.write(['0000644', '0000000', '0000000', ''].join('\0'), 100)
  header.write(`${sizeBytes.toString(8).padStart(11, '0')}\0${'0'.repeat(11)}\0`, 124)
  header.write(`        ${type}${linkPath}`, 148)
  header.write('ustar\u000000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

function createFileEntry(path: string, text = 'text'): Buffer {
  const content = Buffer.alloc(Math.ceil(text.length / blockBytes) * blockBytes)
  content.write(text)
  return Buffer.concat([createEntryHeader(path, { sizeBytes: text.length }), content])
}

const end = Buffer.alloc(2 * blockBytes)
const link = (type: '1' | '2', linkPath: string): Buffer =>
  createEntryHeader('link', { type, linkPath })

/** Archives that an unpacker must refuse, with a part of the path of the refused entry. */
export const hostileTars: readonly (readonly [what: string, bytes: Uint8Array, entry: string])[] = [
  ['an absolute path', Buffer.concat([createFileEntry('/tmp/outside'), end]), '/tmp/outside'],
  ['a path above the folder', Buffer.concat([createFileEntry('../outside'), end]), '../outside'],
  ['a step above the folder', Buffer.concat([createFileEntry('a/../../outside'), end]), 'outside'],
  ['a path of Windows', Buffer.concat([createFileEntry('C:\\outside'), end]), 'C:'],
  [
    'a symbolic link to a file of the system',
    Buffer.concat([link('2', '/etc/passwd'), end]),
    'link',
  ],
  [
    'a file below a symbolic link',
    Buffer.concat([link('2', '..'), createFileEntry('link/outside'), end]),
    'link',
  ],
  ['a hard link to a file of the system', Buffer.concat([link('1', '/etc/passwd'), end]), 'link'],
  [
    'a file over a hard link',
    Buffer.concat([link('1', '../victim'), createFileEntry('link'), end]),
    'link',
  ],
  [
    'a character device',
    Buffer.concat([createEntryHeader('device', { type: '3' }), end]),
    'device',
  ],
  ['a block device', Buffer.concat([createEntryHeader('device', { type: '4' }), end]), 'device'],
  ['a named pipe', Buffer.concat([createEntryHeader('pipe', { type: '6' }), end]), 'pipe'],
]

/** Bytes that are no complete tar archive. */
export const damagedTars: readonly (readonly [what: string, bytes: Uint8Array])[] = [
  ['truncated', Buffer.concat([createEntryHeader('a', { sizeBytes: 5_000 }), Buffer.alloc(512)])],
  ['a zip archive', Buffer.from('504b030414000000', 'hex')],
  ['an HTML page', Buffer.from('<html>Sign in</html>'.repeat(99))],
]

/** An archive with a file of 50 MB, which compresses to some KB. */
export const bombTar: Uint8Array = Buffer.concat([
  createEntryHeader('bomb', { sizeBytes: 50_000_000 }),
  Buffer.alloc(50_000_000),
  end,
])
