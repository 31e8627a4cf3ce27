import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { error, messageOf } from '../../shared/errors/error.ts'
import { createRemoteError } from '../../shared/providers/terraform/adoption/read-tfstate.ts'
import {
  isLosslessObject,
  parseLosslessJson,
} from '../../shared/providers/terraform/values/lossless-json.ts'

const stateFileName = 'terraform.tfstate'

/** The folder of a working directory in which Terraform stores its settings. */
const dataFolderName = '.terraform'

/** A state file, and the working directory of Terraform that it belongs to. */
export interface StateFile {
  readonly file: string
  readonly folder: string
}

/**
 * Returns the state file that a path names: the file itself, or that of a working directory of
 * Terraform with its selected workspace. Throws FILE_UNREADABLE without such a file, and
 * TERRAFORM_STATE_REMOTE if the working directory has a remote backend.
 */
export function findStateFile(path: string): StateFile {
  const status = statSync(path, { throwIfNoEntry: false })
  if (status === undefined) throw error('FILE_UNREADABLE', `there is no file or folder ${path}`)
  if (!status.isDirectory()) return { file: path, folder: dirname(path) }
  const file = resolve(path, readLocalBackend(path) ?? readWorkspaceFile(path))
  if (existsSync(file)) return { file, folder: path }
  throw error('FILE_UNREADABLE', `the folder ${path} has no ${stateFileName}`, {
    hint: 'Pass the path of the state file, or write it with `tofu state pull > terraform.tfstate`.',
  })
}

/**
 * Returns the path in the settings of a local backend, if any. Throws TERRAFORM_STATE_REMOTE for
 * another backend, whose folder may have an outdated state.
 */
function readLocalBackend(folder: string): string | undefined {
  const file = join(folder, dataFolderName, stateFileName)
  if (!existsSync(file)) return undefined
  const settings = parseLosslessJson(readFileText(file))
  if (settings === undefined || !isLosslessObject(settings)) return undefined
  const backend = settings.get('backend') ?? null
  if (!isLosslessObject(backend)) return undefined
  if (backend.get('type') !== 'local') throw createRemoteError(file, settings)
  const config = backend.get('config') ?? null
  const path = isLosslessObject(config) ? config.get('path') : undefined
  return typeof path === 'string' && path !== '' ? path : undefined
}

function readWorkspaceFile(folder: string): string {
  const file = join(folder, dataFolderName, 'environment')
  const workspace = existsSync(file) ? readFileText(file).trim() : ''
  if (workspace === '' || workspace === 'default') return stateFileName
  return join('terraform.tfstate.d', workspace, stateFileName)
}

/** Reads a text file. Throws FILE_UNREADABLE. */
export function readFileText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw error('FILE_UNREADABLE', `cannot read ${file}: ${messageOf(cause)}`, { cause })
  }
}
