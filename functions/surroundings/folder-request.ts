import type { DeployRequest } from '../../shared/engine/request.ts'
import { autonamingOf } from '../../shared/programs/autonaming.ts'
import { openConfig } from '../../shared/programs/config.ts'
import { clientRuntime } from '../../shared/programs/language-host.ts'
import { programDigest } from '../../shared/programs/program-digest.ts'
import { programPlace } from '../../shared/programs/project-file.ts'
import { projectPlugins } from '../../shared/programs/project-plugins.ts'
import type { Project } from '../../shared/programs/project.ts'
import type { StackConfig } from '../../shared/programs/stack-config.ts'
import { type StackId, stackPartsOf } from '../../shared/records/ids.ts'
import type { SecretsManager } from '../../shared/secrets/crypter.ts'

/** What the folder of a project says of a deployment of one of its stacks. */
export type FolderRequest = Pick<
  DeployRequest,
  'stack' | 'source' | 'config' | 'secrets' | 'program' | 'programNow' | 'autonaming'
>

/**
 * Reads what a deployment needs of a project's folder. `check`: configuration that the project
 * asks for must be there. Throws what reading configuration and program throws.
 */
export function folderRequest(about: {
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
  const { stack, project, file, secrets, check, names, configFile } = about
  const config = openConfig({
    project,
    stack: stackPartsOf(stack).stack,
    values: file.values(),
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
  const plugins = projectPlugins(project)
  const source = { name, root, runtime, runtimeOptions, plugins, ...programPlace(project) }
  const programNow = (): string => identityOf(project, config, secrets)
  return {
    stack,
    source: configFile === undefined ? source : { ...source, configFile },
    config,
    secrets,
    program: programNow(),
    programNow,
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
  const parts: unknown[] = [programDigest(project.root), values]
  // A program of another process is not what lies in the folder: nobody resumes it from there.
  if (project.runtime === clientRuntime) parts.push(project.runtimeOptions)
  return secrets.digest(JSON.stringify(parts))
}
