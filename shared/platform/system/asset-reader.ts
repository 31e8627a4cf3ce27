import { readdir, readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { limits } from '../../config/limits.ts'
import { createError, messageOf } from '../../errors/error.ts'
import type { AssetReader } from '../../values/asset-hash.ts'
import { compareUtf8 } from '../../values/go-json.ts'

/**
 * Creates a reader of assets from disk, relative to a folder, and from URLs. A file or a response
 * has at most `bytesMax` bytes. Every method throws RESOURCE_INVALID with the source and the
 * reason.
 */
export function createAssetReader(
  folder: string,
  bytesMax: number = limits.assetBytesMax,
): AssetReader {
  const resolvePath = (path: string): string => resolve(folder, path)
  const withReadErrors = async <T>(source: string, read: () => Promise<T>): Promise<T> => {
    try {
      return await read()
    } catch (cause) {
      throw createError(
        'RESOURCE_INVALID',
        `cannot read the asset '${source}': ${messageOf(cause)}`,
        {
          cause,
        },
      )
    }
  }
  return {
    readFile: path => withReadErrors(path, () => readBounded(resolvePath(path), bytesMax)),
    isDirectory: path =>
      withReadErrors(path, async () => (await stat(resolvePath(path))).isDirectory()),
    listFiles: path => withReadErrors(path, () => listFiles(resolvePath(path))),
    fetch: uri =>
      withReadErrors(uri, () =>
        uri.startsWith('file:')
          ? readBounded(fileURLToPath(uri), bytesMax)
          : fetchBounded(uri, bytesMax),
      ),
  }
}

function createTooLargeError(bytesMax: number): Error {
  return new Error(`it has more than ${bytesMax} bytes`)
}

async function readBounded(path: string, bytesMax: number): Promise<Uint8Array> {
  const { size: sizeBytes } = await stat(path)
  if (sizeBytes > bytesMax) throw createTooLargeError(bytesMax)
  return readFile(path)
}

async function fetchBounded(uri: string, bytesMax: number): Promise<Uint8Array> {
  const response = await fetch(uri, { signal: AbortSignal.timeout(limits.assetFetchMs) })
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`)
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.length
    if (sizeBytes > bytesMax) throw createTooLargeError(bytesMax)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, sizeBytes)
}

/**
 * Lists files depth first, with the names of each folder in byte order. Leaves out `.pulumi` and
 * links to folders.
 */
async function listFiles(root: string, subfolder = ''): Promise<readonly string[]> {
  const entries = await readdir(join(root, subfolder), { withFileTypes: true })
  const files: string[] = []
  for (const entry of entries.sort((a, b) => compareUtf8(a.name, b.name))) {
    if (entry.name === '.pulumi') continue
    const name = subfolder === '' ? entry.name : `${subfolder}/${entry.name}`
    if (entry.isDirectory()) files.push(...(await listFiles(root, name)))
    else if (!entry.isSymbolicLink() || !(await stat(join(root, name))).isDirectory())
      files.push(name)
  }
  return files
}
