import { createError } from '../../errors/error.ts'
import type { DeployInput } from '../../engine/request.ts'
import { readProject } from '../../programs/project/project-file.ts'
import {
  readStackConfig,
  type StackConfig,
  type StackSecrets,
} from '../../programs/config/stack-config.ts'
import { stackConfigFileOf } from '../../programs/config/stack-config-file.ts'
import {
  filesOfEnvironment,
  variablesOfEnvironment,
} from '../../programs/environments/environment-config.ts'
import { type BlobHash, type StackId, stackIdOf, stackPartsOf } from '../../records/ids.ts'
import type { DeploymentOptions } from '../../records/log.ts'
import type { SecretsManager } from '../../secrets/crypter.ts'
import { createFolderRequest } from './folder-request.ts'
import type { ProgramFolders } from './program-folder.ts'

/** Dependencies of opening the program of a stack. */
export interface ProgramRequestDeps {
  readonly folders: ProgramFolders
  /** Opens the secrets manager that a stack's file names. Throws SECRETS_*. */
  readonly openSecrets: (stack: StackId, stackSecrets: StackSecrets) => Promise<SecretsManager>
}

/**
 * Creates the `DeployInput` that runs the program of an archive. Throws ARCHIVE_*, PROJECT_*
 * (PROJECT_INVALID for the program of another project), FEATURE_MISSING, SECRETS_*, and the errors
 * of reading the configuration.
 */
export async function createArchiveDeployRequest(
  deps: ProgramRequestDeps,
  request: {
    readonly stack: StackId
    readonly archive: BlobHash
    readonly options: DeploymentOptions
    readonly dryRun: boolean
    readonly key?: string
  },
): Promise<DeployInput> {
  const { stack, archive, options, dryRun, key } = request
  const stackParts = stackPartsOf(stack)
  const project = readProject(await deps.folders.open(stack, archive))
  if (stackIdOf(project.name, stackParts.stack) !== stack)
    throw createError(
      'PROJECT_INVALID',
      `the archive contains project '${project.name}', but the stack belongs to '${stackParts.project}'`,
    )
  const file = readStackConfig(stackConfigFileOf(project, stackParts.stack), project.name)
  requireNoVariables(file, project.root)
  const secrets = await deps.openSecrets(stack, file.getSecretsSettings())
  // The history of a server has no configuration, so that its entries stay small.
  const { recordedConfig: _recordedConfig, ...folderRequest } = createFolderRequest({
    stack,
    project,
    file,
    secrets,
    mustCheckRequired: options.command === 'up',
    usesAutonaming: options.command === 'up',
  })
  return {
    ...folderRequest,
    source: { ...folderRequest.source, archive },
    dryRun,
    options,
    resume: false,
    wait: false,
    pendingCreates: { existingIds: new Map(), mustClearOthers: false },
    ...(key === undefined ? {} : { key }),
  }
}

/**
 * Throws FEATURE_MISSING for an environment with variables or files. A serving process has one set
 * of variables for all stacks, and functions get theirs from AWS.
 */
function requireNoVariables(file: StackConfig, projectFolder: string): void {
  const environment = file.readEnvironment(projectFolder)
  for (const [field, texts] of [
    ['environmentVariables', variablesOfEnvironment(environment)],
    ['files', filesOfEnvironment(environment)],
  ] as const)
    if (texts.size > 0)
      throw createError(
        'FEATURE_MISSING',
        `${file.path}: \`${field}\` of an environment is supported only in deployments that the command line itself runs`,
        { hint: 'Use `pulumiConfig` for the values, or deploy without a login.' },
      )
}
