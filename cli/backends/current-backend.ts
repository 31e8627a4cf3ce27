import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { createError } from '../../shared/errors/error.ts'
import {
  isObjectStoreUrl,
  parseObjectStoreUrl,
} from '../../shared/platform/objects/object-store-url.ts'
import { findProjectFile } from '../../shared/programs/project/find-project-file.ts'
import { readBackendUrl } from '../../shared/programs/project/project-file.ts'

/** The self-managed backend in use, and the setting that selects it. */
interface CurrentBackend {
  readonly address: string
  readonly source: 'PULUMI_BACKEND_URL' | 'project' | 'login'
}

const savedForm = z.object({ backend: z.string() })
const savedFileOf = (home: string): string => join(home, 'backend.json')

/**
 * Returns the self-managed backend in use: that of PULUMI_BACKEND_URL, or else that of
 * `backend.url` in the project file, or else that of the login. The address of a service, such as
 * `https://api.pulumi.com`, does not count. Throws BACKEND_URL_INVALID for a text that is no
 * address, and FILE_UNREADABLE for an invalid login.
 */
export function readCurrentBackend(options: {
  readonly home: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}): CurrentBackend | undefined {
  const variable = options.env['PULUMI_BACKEND_URL'] ?? ''
  if (variable !== '' && !variable.includes('://'))
    throw createError(
      'BACKEND_URL_INVALID',
      `PULUMI_BACKEND_URL is '${variable}', which is no address`,
    )
  if (isObjectStoreUrl(variable)) return { address: variable, source: 'PULUMI_BACKEND_URL' }
  const projectUrl = readProjectBackend(options.cwd)
  if (isObjectStoreUrl(projectUrl)) return { address: projectUrl, source: 'project' }
  const savedAddress = readSavedBackend(options.home)
  return savedAddress === undefined ? undefined : { address: savedAddress, source: 'login' }
}

/** Returns the folder in which this machine keeps its store for a backend. */
export function cacheFolderOf(home: string, address: string, cwd: string): string {
  const { scheme, bucket, prefix, query } = parseObjectStoreUrl(address, cwd)
  const endpoint = query.get('endpoint') ?? query.get('storage_account') ?? ''
  const name = JSON.stringify([scheme, bucket, prefix, endpoint])
  return join(home, 'backends', createHash('sha256').update(name).digest('hex').slice(0, 16))
}

/** Saves the backend of a login. The address has no credentials. */
export function saveBackend(home: string, address: string): void {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  writeFileSync(savedFileOf(home), JSON.stringify({ backend: address }), { mode: 0o600 })
}

/** Removes the backend of a login. */
export function removeSavedBackend(home: string): void {
  rmSync(savedFileOf(home), { force: true })
}

/**
 * Returns the backend of a login. Returns undefined if the file is missing or cannot be read.
 * Throws FILE_UNREADABLE for an invalid login.
 */
export function readSavedBackend(home: string): string | undefined {
  let text: string
  try {
    text = readFileSync(savedFileOf(home), 'utf8')
  } catch {
    return undefined
  }
  try {
    return savedForm.parse(JSON.parse(text)).backend
  } catch {
    throw createError('FILE_UNREADABLE', `${savedFileOf(home)} is not a valid login`, {
      hint: 'Run `antichain logout`, and log in again.',
    })
  }
}

function readProjectBackend(cwd: string): string {
  let file: string
  try {
    file = findProjectFile(cwd)
  } catch {
    // Without a project, no project file selects a backend.
    return ''
  }
  return readBackendUrl(file)
}
