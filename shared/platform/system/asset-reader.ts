import { readdir, readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { error, messageOf } from '../../errors/error.ts'
import type { AssetReader } from '../../values/asset-hash.ts'
import { compareUtf8 } from '../../values/go-json.ts'

/** Reads assets from disk, relative to a folder, and from addresses. */
export function createAssetReader(folder: string): AssetReader {
  const at = (path: string): string => resolve(folder, path)
  const reading = async <T>(what: string, read: () => Promise<T>): Promise<T> => {
    try {
      return await read()
    } catch (cause) {
      throw error('RESOURCE_INVALID', `the asset '${what}' cannot be read: ${messageOf(cause)}`, {
        cause,
      })
    }
  }
  return {
    readFile: path => reading(path, () => readFile(at(path))),
    isDirectory: path => reading(path, async () => (await stat(at(path))).isDirectory()),
    list: path => reading(path, () => filesBelow(at(path))),
    fetch: uri =>
      reading(uri, async () => {
        if (uri.startsWith('file:')) return readFile(fileURLToPath(uri))
        const response = await fetch(uri)
        if (!response.ok) throw new Error(`${response.status} ${response.statusText}`)
        return new Uint8Array(await response.arrayBuffer())
      }),
  }
}

/** Depth first, each folder's names by bytes; `.pulumi` and links to folders are left out. */
async function filesBelow(root: string, below = ''): Promise<readonly string[]> {
  const entries = await readdir(join(root, below), { withFileTypes: true })
  const found: string[] = []
  for (const entry of entries.sort((a, b) => compareUtf8(a.name, b.name))) {
    if (entry.name === '.pulumi') continue
    const name = below === '' ? entry.name : `${below}/${entry.name}`
    if (entry.isDirectory()) found.push(...(await filesBelow(root, name)))
    else if (!entry.isSymbolicLink() || !(await stat(join(root, name))).isDirectory())
      found.push(name)
  }
  return found
}
