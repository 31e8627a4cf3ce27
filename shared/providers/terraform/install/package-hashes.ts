import { createHash } from 'node:crypto'
import { createReadStream, readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** Returns the hash of a package file, from the SHA-256 of its bytes in hex. */
export function formatZipHash(sha256: string): string {
  return `zh:${sha256.toLowerCase()}`
}

/**
 * Returns the hash of an unpacked package: the SHA-256 of a list with the SHA-256 and the path of
 * each file. Source: Go's dirhash, `Hash1`.
 */
export async function hashFolder(folder: string): Promise<string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => !entry.isDirectory())
    .map(entry => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
  const list = createHash('sha256')
  for (const name of names.toSorted(compareBytes))
    list.update(`${await hashFile(join(folder, name))}  ${name}\n`)
  return `h1:${list.digest('base64')}`
}

/** Returns the SHA-256 of a file in hex. */
export async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

/** Compares names as Go does, by their bytes. */
function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
