import { encodePath } from './object-store-url.ts'
import { createHash } from 'node:crypto'
import type { Dirent } from 'node:fs'
import { link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { type ErrorCode } from '../../errors/catalogue.ts'
import { createError, messageOf } from '../../errors/error.ts'
import type { ObjectEntry, ObjectStorePort } from '../../ports/objects.ts'
import { formatGoJson } from '../../values/go-json.ts'
import { contentTypeOf } from './content-type-of-bytes.ts'
import {
  createLeftoverCleaner,
  createTemporaryPath,
  isTemporaryName,
  type LeftoverCleaner,
} from './temporary-files.ts'
import { systemCodeOf } from '../../errors/system-code.ts'

/** The extension of the files with the attributes of an object. */
const attributesExtension = '.attrs'

/**
 * Creates the store of `file://`: one file per object. With `hasAttributes`, each object also has a
 * file with its attributes, as the file stores of Pulumi write it. A write removes the temporary
 * files that killed processes left in its folder, and in folders that were listed before.
 */
export function createFileObjects(
  folder: string,
  { hasAttributes }: { readonly hasAttributes: boolean },
): ObjectStorePort {
  const leftoverCleaner = createLeftoverCleaner()
  const pathOf = (key: string): string => join(folder, ...key.split('/'))
  const write = (key: string, bytes: Uint8Array, publish: typeof rename): Promise<boolean> =>
    withFileErrors(folder, `cannot write ${pathOf(key)}`, async () => {
      const path = pathOf(key)
      await createFolder(dirname(path))
      await leftoverCleaner.remove(dirname(path))
      const isWritten = await writeThenPublish(path, bytes, publish)
      if (isWritten && hasAttributes)
        await writeThenPublish(path + attributesExtension, attributesOf(bytes), rename)
      return isWritten
    })
  return {
    address: `file://${encodePath(folder)}`,
    get: key =>
      withFileErrors(folder, `cannot read ${pathOf(key)}`, () =>
        ignoreMissingFile(readFile(pathOf(key))),
      ),
    put: async (key, bytes) => void (await write(key, bytes, rename)),
    // Unlike a rename, a link never replaces a file.
    putIfAbsent: (key, bytes) => write(key, bytes, link),
    list: prefix =>
      withFileErrors(folder, `cannot list ${pathOf(prefix)}`, () =>
        listFiles(folder, prefix, leftoverCleaner),
      ),
    remove: key =>
      withFileErrors(folder, `cannot remove ${pathOf(key)}`, async () => {
        await rm(pathOf(key), { force: true })
        await rm(pathOf(key) + attributesExtension, { force: true })
      }),
  }
}

/**
 * Creates a folder and its parents. Does not use Node's recursive `mkdir`, which never ends below
 * `/proc`.
 */
async function createFolder(path: string): Promise<void> {
  const create = async (): Promise<boolean> => {
    try {
      await mkdir(path)
      return true
    } catch (thrown) {
      const code = systemCodeOf(thrown)
      if (code === 'ENOENT') return false
      // A file system without write permission may report another error for an existing folder.
      if (code !== 'EEXIST' && !(await ignoreMissingFile(stat(path)))?.isDirectory()) throw thrown
      return true
    }
  }
  if ((await create()) || dirname(path) === path) return
  await createFolder(dirname(path))
  await mkdir(path).catch((thrown: unknown) => {
    if (systemCodeOf(thrown) !== 'EEXIST') throw thrown
  })
}

/**
 * Writes a temporary file, and moves it to `path` with `publish`. Returns false if `publish` finds
 * a file at `path`. If the temporary file of a suspended process looks like a leftover, another
 * host may remove it. The file is then written a second time.
 */
async function writeThenPublish(
  path: string,
  bytes: Uint8Array,
  publish: typeof rename,
): Promise<boolean> {
  try {
    return await tryToPublish(path, bytes, publish)
  } catch (thrown) {
    if (systemCodeOf(thrown) !== 'ENOENT') throw thrown
    return tryToPublish(path, bytes, publish)
  }
}

async function tryToPublish(
  path: string,
  bytes: Uint8Array,
  publish: typeof rename,
): Promise<boolean> {
  const temporaryPath = createTemporaryPath(path)
  try {
    const file = await open(temporaryPath, 'wx')
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await publish(temporaryPath, path)
    await syncFolder(dirname(path))
    return true
  } catch (thrown) {
    if (systemCodeOf(thrown) === 'EEXIST') return false
    throw thrown
  } finally {
    await rm(temporaryPath, { force: true })
  }
}

/** Returns the attributes of an object in the order and the format of Pulumi's file stores. */
function attributesOf(bytes: Uint8Array): Uint8Array {
  const md5 = createHash('md5').update(bytes).digest('base64')
  const fields = [
    ...['cache_control', 'content_disposition', 'content_encoding', 'content_language'].map(
      name => `"user.${name}":""`,
    ),
    `"user.content_type":${formatGoJson(contentTypeOf(bytes))}`,
    '"user.metadata":null',
    `"md5":"${md5}"`,
  ]
  return Buffer.from(`{${fields.join(',')}}\n`)
}

async function listFiles(
  folder: string,
  prefix: string,
  leftoverCleaner: LeftoverCleaner,
): Promise<readonly ObjectEntry[]> {
  const startFolder = join(folder, ...prefix.split('/').slice(0, -1))
  const dirents = await readFolderTree(startFolder)
  for (const { parentPath, name } of dirents)
    if (isTemporaryName(name)) leftoverCleaner.addCandidate(join(parentPath, name))
  const entries = await Promise.all(
    dirents
      .filter(entry => entry.isFile() && isObjectName(entry.name))
      .map(async entry => {
        const path = join(entry.parentPath, entry.name)
        const key = relative(folder, path).split(sep).join('/')
        if (!key.startsWith(prefix)) return undefined
        // Another process may have removed the file after the listing.
        const status = await ignoreMissingFile(stat(path))
        return status === undefined ? undefined : { key, modifiedMs: status.mtimeMs }
      }),
  )
  return entries
    .filter(entry => entry !== undefined)
    .toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
}

/**
 * Reads all entries below a folder. Does not use Node's recursive `readdir`, which fails when
 * another process removes a subfolder during the read. A missing folder has no entries.
 */
async function readFolderTree(folder: string): Promise<readonly Dirent[]> {
  const dirents = (await ignoreMissingFile(readdir(folder, { withFileTypes: true }))) ?? []
  const folders = dirents.filter(entry => entry.isDirectory())
  const trees = await Promise.all(folders.map(({ name }) => readFolderTree(join(folder, name))))
  return [...dirents, ...trees.flat()]
}

function isObjectName(name: string): boolean {
  return !name.endsWith(attributesExtension) && !isTemporaryName(name)
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Returns the result of a read, or undefined for a missing file. */
async function ignoreMissingFile<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read
  } catch (thrown) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCodeOf(thrown))) return undefined
    throw thrown
  }
}

async function withFileErrors<T>(
  folder: string,
  action: string,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run()
  } catch (thrown) {
    const isDenied = ['EACCES', 'EPERM', 'EROFS'].includes(systemCodeOf(thrown))
    const code: ErrorCode = isDenied ? 'BACKEND_DENIED' : 'STORE_UNAVAILABLE'
    throw createError(code, `${action}: ${messageOf(thrown)}`, {
      cause: thrown,
      ...(isDenied
        ? {}
        : { hint: `Check the folder ${folder} of the backend, and the space on its disk.` }),
    })
  }
}
