import type { DeployInput } from '../../engine/request.ts'
import { autonamingOf } from '../../programs/config/autonaming.ts'
import { callLimitsKey, readCallLimitRules } from '../../programs/config/call-limit-rules.ts'
import { openConfig, withProjectDefaults } from '../../programs/config/open-config.ts'
import { clientRuntime } from '../../programs/hosts/language-host.ts'
import { withEnvironmentConfig } from '../../programs/environments/environment-config.ts'
import { digestProgram } from '../../programs/archive/program-digest.ts'
import { locateProgram } from '../../programs/project/project-file.ts'
import { resolveProjectPlugins } from '../../programs/project/project-plugins.ts'
import type { Project } from '../../programs/project/project.ts'
import { toRecordedConfig } from '../../programs/config/recorded-config.ts'
import type { StackConfig } from '../../programs/config/stack-config.ts'
import { type StackId, stackPartsOf } from '../../records/ids.ts'
import type { SecretsManager } from '../../secrets/crypter.ts'

/** The parts of a deployment request that a project's folder determines. */
export type FolderRequest = Pick<
  DeployInput,
  | 'stack'
  | 'source'
  | 'config'
  | 'recordedConfig'
  | 'secrets'
  | 'programDigest'
  | 'readProgramDigest'
  | 'autonaming'
  | 'callLimits'
>

/**
 * Creates the parts of a deployment request from a project's folder. `mustCheckRequired`: whether
 * missing required configuration is an error. Throws the errors of reading configuration and
 * program.
 */
export function createFolderRequest(input: {
  readonly stack: StackId
  readonly project: Project
  readonly file: StackConfig
  readonly secrets: SecretsManager
  readonly mustCheckRequired: boolean
  /** Whether the command names new resources. Invalid naming settings are then an error. */
  readonly usesAutonaming: boolean
  /** Absolute path of a configuration file that replaces the stack's. */
  readonly configFile?: string
}): FolderRequest {
  const { stack, project, file, secrets, mustCheckRequired, usesAutonaming, configFile } = input
  const values = withEnvironmentConfig(file.getValues(), file.readEnvironment(project.root), {
    project: project.name,
    encrypt: secrets.crypter.encrypt,
  })
  const config = openConfig({
    project,
    stack: stackPartsOf(stack).stack,
    values,
    isStrict: mustCheckRequired,
    decrypt: secrets.crypter.decrypt,
  })
  const autonaming = usesAutonaming
    ? autonamingOf({
        organization: 'organization',
        project: project.name,
        stack: stackPartsOf(stack).stack,
        config,
      })
    : undefined
  const { name, root: projectFolder, runtime, runtimeOptions } = project
  const plugins = resolveProjectPlugins(project)
  const source = {
    name,
    projectFolder,
    runtime,
    runtimeOptions,
    plugins,
    ...locateProgram(project),
  }
  const readProgramDigest = (): string => programDigestOf(project, config, secrets)
  return {
    stack,
    source: configFile === undefined ? source : { ...source, configFile },
    config,
    recordedConfig: toRecordedConfig(withProjectDefaults(project, values).values),
    secrets,
    programDigest: readProgramDigest(),
    readProgramDigest,
    ...(autonaming === undefined ? {} : { autonaming }),
    callLimits: readCallLimitRules(config),
  }
}

/**
 * Returns the keyed digest of the program's files and the configuration. A resume requires an equal
 * digest. Limits of calls may differ, because they change no decision.
 */
function programDigestOf(
  project: Project,
  config: DeployInput['config'],
  secrets: SecretsManager,
): string {
  const values = [...config]
    .filter(([key]) => key !== callLimitsKey)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, { text, isSecret, isObject }]) => [
      key,
      { text, secret: isSecret, object: isObject },
    ])
  const parts: unknown[] = [digestProgram(project.root), values]
  // The program of another process (`clientRuntime`) is not in the folder. The digest contains the
  // address of that process, so a run with another address cannot resume the deployment.
  if (project.runtime === clientRuntime) parts.push(project.runtimeOptions)
  return secrets.digest(JSON.stringify(parts))
}
