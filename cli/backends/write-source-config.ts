import { existsSync } from 'node:fs'
import { toConfigTree } from '../../shared/programs/config/config-tree.ts'
import { isContainer, isSecure, formatScalar } from '../../shared/programs/config/config-tree.ts'
import { stackConfigFileOf, writeStackConfig } from '../../shared/programs/config/stack-config.ts'
import type { Project } from '../../shared/programs/project/project.ts'
import { stackPartsOf } from '../../shared/records/ids.ts'
import type { CliSession } from '../session/session.ts'
import { openStackFile } from '../stack/stack-secrets.ts'
import type { SourceStack } from './read-source-stack.ts'

/**
 * Writes the configuration file of an imported stack from its last update, if the folder has its
 * project but no such file. Encrypted values stay encrypted. Returns the path of the new file.
 */
export function writeSourceConfig(
  session: CliSession,
  { id, state, history }: SourceStack,
): string | undefined {
  const project = findProject(session)
  const names = stackPartsOf(id)
  if (project?.name !== names.project) return undefined
  if (existsSync(stackConfigFileOf(project, names.stack))) return undefined
  const file = openStackFile(session, project, { stack: id })
  const manager: unknown = state?.secrets_providers?.state
  const managerFields = new Map<string, unknown>(
    typeof manager === 'object' && manager !== null ? Object.entries(manager) : [],
  )
  const readField = (name: string): string => {
    const value = managerFields.get(name)
    return typeof value === 'string' ? value : ''
  }
  if (readField('salt') !== '') file.setSalt(readField('salt'))
  else if (readField('url') !== '') file.setKey(readField('url'), readField('encryptedkey'))
  for (const [key, value] of Object.entries(history.at(-1)?.info.config ?? {})) {
    const tree = toConfigTree(value)
    file.set(key, isSecure(tree) || isContainer(tree) ? tree : formatScalar(tree))
  }
  writeStackConfig(file)
  return file.file
}

function findProject(session: CliSession): Project | undefined {
  try {
    return session.requireProject()
  } catch {
    // Stacks can be imported from any folder. Only their configuration needs the project.
    return undefined
  }
}
