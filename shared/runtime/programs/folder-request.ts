import type { DeployRequest } from '../../engine/request.ts'
import { autonamingOf } from '../../programs/config/autonaming.ts'
import { openConfig } from '../../programs/config/open-config.ts'
import { clientRuntime } from '../../programs/hosts/language-host.ts'
import { digestProgram } from '../../programs/archive/program-digest.ts'
import { locateProgram } from '../../programs/project/project-file.ts'
import { resolveProjectPlugins } from '../../programs/project/project-plugins.ts'
import type { Project } from '../../programs/project/project.ts'
import type { StackConfig } from '../../programs/config/stack-config.ts'
import { type StackId, stackPartsOf } from '../../records/ids.ts'
import type { SecretsManager } from '../../secrets/crypter.ts'

/** What the folder of a project says of a deployment of one of its stacks. */
export type FolderRequest = Pick<
  DeployRequest,
  'stack' | 'source' | 'config' | 'secrets' | 'program' | 'readProgramDigest' | 'autonaming'
>

/**
 * Reads what a deployment needs of a project's folder. `check`: configuration that the project
 * asks for must be there. Throws what reading configuration and program throws.
 */
export function createFolderRequest(input: {
  readonly stack: StackId
  readonly project: Project
  readonly file: StackConfig
  readonly secrets: SecretsManager
  readonly check: boolean
  /** Resources are named: how, must be right. */
  readonly names: boolean
  /** The configuration file, where it is not the one of the stack; absolute. */
  readonly configFile?: string
}): FolderRequest {
  const { stack, project, file, secrets, check, names, configFile } = input
  const config = openConfig({
    project,
    stack: stackPartsOf(stack).stack,
    values: file.getValues(),
    check,
    decrypt: secrets.crypter.decrypt,
  })
  const autonaming = names
    ? autonamingOf({
        organization: 'organization',
        project: project.name,
        stack: stackPartsOf(stack).stack,
        config,
      })
    : undefined
  const { name, root, runtime, runtimeOptions } = project
  const plugins = resolveProjectPlugins(project)
  const source = { name, root, runtime, runtimeOptions, plugins, ...locateProgram(project) }
  const readProgramDigest = (): string => identityOf(project, config, secrets)
  return {
    stack,
    source: configFile === undefined ? source : { ...source, configFile },
    config,
    secrets,
    program: readProgramDigest(),
    readProgramDigest,
    ...(autonaming === undefined ? {} : { autonaming }),
  }
}

/** What a resume must find again: the program's files and the configuration, keyed. */
function identityOf(
  project: Project,
  config: DeployRequest['config'],
  secrets: SecretsManager,
): string {
  const values = [...config].sort(([a], [b]) => (a < b ? -1 : 1))
  const parts: unknown[] = [digestProgram(project.root), values]
  // A program of another process is not what lies in the folder: nobody resumes it from there.
  if (project.runtime === clientRuntime) parts.push(project.runtimeOptions)
  return secrets.digest(JSON.stringify(parts))
}
