import { error } from '../../shared/errors/error.ts'
import type { DeployRequest } from '../../shared/engine/request.ts'
import { readProject } from '../../shared/programs/project-file.ts'
import {
  readStackConfig,
  stackConfigFile,
  type StackSecrets,
} from '../../shared/programs/stack-config.ts'
import { type BlobHash, type StackId, stackIdOf, stackPartsOf } from '../../shared/records/ids.ts'
import type { DeploymentOptions } from '../../shared/records/log.ts'
import type { SecretsManager } from '../../shared/secrets/crypter.ts'
import { folderRequest } from './folder-request.ts'
import type { ProgramFolders } from './program-folder.ts'

/** What opening the program of a stack asks of the outside. */
export interface ProgramRequestDeps {
  readonly folders: ProgramFolders
  /** The manager that a stack's file names. Throws SECRETS_* and FEATURE_MISSING. */
  readonly secretsOf: (stack: StackId, named: StackSecrets) => Promise<SecretsManager>
}

/**
 * What a deployment of an archived program is asked with. Throws ARCHIVE_*, PROJECT_*,
 * STATE_FOREIGN for the program of another project, and what reading its configuration throws.
 */
export async function programRequest(
  deps: ProgramRequestDeps,
  about: {
    readonly stack: StackId
    readonly archive: BlobHash
    readonly options: DeploymentOptions
    readonly dryRun: boolean
    readonly key?: string
  },
): Promise<DeployRequest> {
  const { stack, archive, options, dryRun, key } = about
  const parts = stackPartsOf(stack)
  const project = readProject(await deps.folders.open(archive))
  if (stackIdOf(project.name, parts.stack) !== stack)
    throw error(
      'PROJECT_INVALID',
      `the archive holds project '${project.name}', and the stack belongs to '${parts.project}'`,
    )
  const file = readStackConfig(stackConfigFile(project, parts.stack), project.name)
  const secrets = await deps.secretsOf(stack, file.secrets())
  const read = folderRequest({
    stack,
    project,
    file,
    secrets,
    check: options.command === 'up',
    names: options.command === 'up',
  })
  return {
    ...read,
    source: { ...read.source, archive },
    dryRun,
    options,
    resume: false,
    wait: false,
    pendingCreates: { exist: new Map(), forget: false },
    ...(key === undefined ? {} : { key }),
  }
}
