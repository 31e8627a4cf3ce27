import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createError, messageOf } from '../../shared/errors/error.ts'
import { createRemoteError } from '../../shared/providers/terraform/adoption/read-tfstate.ts'
import {
  isLosslessObject,
  parseLosslessJson,
} from '../../shared/providers/terraform/values/lossless-json.ts'

const stateFileName = 'terraform.tfstate'

/** The subfolder of a working directory that contains the settings of Terraform. */
const dataFolderName = '.terraform'

/** A state file, and the working directory of Terraform that it belongs to. */
export interface StateFile {
  readonly file: string
  readonly folder: string
}

/**
 * Returns the state file that a path names. For a working directory of Terraform, returns the file
 * of its selected workspace. Throws FILE_UNREADABLE without such a file, and TERRAFORM_STATE_REMOTE
 * if the working directory has a remote backend.
 */
export function findStateFile(path: string): StateFile {
  const status = statSync(path, { throwIfNoEntry: false })
  if (status === undefined)
    throw createError('FILE_UNREADABLE', `there is no file or folder ${path}`)
  if (!status.isDirectory()) return { file: path, folder: dirname(path) }
  const file = resolve(path, findWorkspaceFile(path))
  if (existsSync(file)) return { file, folder: path }
  throw createError('FILE_UNREADABLE', `the folder ${path} has no ${stateFileName}`, {
    hint: 'Pass the path of the state file, or write it with `tofu state pull > terraform.tfstate`.',
  })
}

/** The settings of a local backend. `path`: the state file of the workspace `default`. */
interface LocalBackend {
  readonly path?: string
  /** The folder with the states of the other workspaces. */
  readonly workspaceFolder?: string
}

/**
 * Returns the settings of a local backend. Throws TERRAFORM_STATE_REMOTE for a backend of another
 * type, because the state file in the folder may then be outdated.
 */
function readLocalBackend(folder: string): LocalBackend {
  const file = join(folder, dataFolderName, stateFileName)
  if (!existsSync(file)) return {}
  const settings = parseLosslessJson(readFileText(file))
  if (settings === undefined || !isLosslessObject(settings)) return {}
  const backend = settings.get('backend') ?? null
  if (!isLosslessObject(backend)) return {}
  if (backend.get('type') !== 'local') throw createRemoteError(file, settings)
  const config = backend.get('config') ?? null
  if (!isLosslessObject(config)) return {}
  const [path, workspaceFolder] = [config.get('path'), config.get('workspace_dir')]
  return {
    ...(typeof path === 'string' && path !== '' ? { path } : {}),
    ...(typeof workspaceFolder === 'string' && workspaceFolder !== '' ? { workspaceFolder } : {}),
  }
}

/** Returns the state file of the selected workspace, as the local backend of Terraform names it. */
function findWorkspaceFile(folder: string): string {
  const { path = stateFileName, workspaceFolder = 'terraform.tfstate.d' } = readLocalBackend(folder)
  const file = join(folder, dataFolderName, 'environment')
  const workspace = existsSync(file) ? readFileText(file).trim() : ''
  if (workspace === '' || workspace === 'default') return path
  return join(workspaceFolder, workspace, stateFileName)
}

/** Reads a text file. Throws FILE_UNREADABLE. */
export function readFileText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw createError('FILE_UNREADABLE', `cannot read ${file}: ${messageOf(cause)}`, { cause })
  }
}
