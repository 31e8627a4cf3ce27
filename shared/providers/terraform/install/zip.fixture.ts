import { crc32 } from 'node:zlib'

/** A file of a zip file. `mode`: its mode on Unix with the type of the file. */
export interface ZipMember {
  readonly name: string
  readonly content: Buffer
  readonly mode?: number
}

/** Packs files into a zip file without compression. */
export function packZip(members: readonly ZipMember[]): Buffer {
  const locals: Buffer[] = []
  const entries: Buffer[] = []
  let offset = 0
  for (const { name, content, mode = 0o100644 } of members) {
    const nameBytes = Buffer.from(name)
    const sharedFields = Buffer.alloc(26)
    // Version 2.0, UTF-8 names, stored, 1980-01-01.
    for (const [position, value] of [20, 0x0800, 0, 0, 0x21].entries())
      sharedFields.writeUInt16LE(value, position * 2)
    sharedFields.writeUInt32LE(crc32(content), 10)
    sharedFields.writeUInt32LE(content.length, 14)
    sharedFields.writeUInt32LE(content.length, 18)
    sharedFields.writeUInt16LE(nameBytes.length, 22)
    const local = Buffer.concat([
      Buffer.from('PK\u0003\u0004', 'latin1'),
      sharedFields,
      nameBytes,
      content,
    ])
    // The end of the entry in the directory: its mode, and the position of the file.
    const entryEnd = Buffer.alloc(14)
    entryEnd.writeUInt32LE((mode << 16) >>> 0, 6)
    entryEnd.writeUInt32LE(offset, 10)
    const versionMadeBy = Buffer.from([20, 3])
    entries.push(
      Buffer.concat([
        Buffer.from('PK\u0001\u0002', 'latin1'),
        versionMadeBy,
        sharedFields,
        entryEnd,
        nameBytes,
      ]),
    )
    locals.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(entries)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(members.length, 4)
  end.writeUInt16LE(members.length, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...locals, directory, Buffer.from('PK\u0005\u0006', 'latin1'), end])
}
