import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { stringify } from 'yaml'
import { createError, messageOf } from '../../shared/errors/error.ts'
import {
  type ConfigTree,
  hasSecure,
  isTreeList,
  isTreeMap,
  type StoredConfigValue,
} from '../../shared/programs/config/config-tree.ts'
import { openConfigValue } from '../../shared/programs/config/open-config.ts'
import { type StackConfig, writeStackConfig } from '../../shared/programs/config/stack-config.ts'
import { withEnvironmentConfig } from '../../shared/programs/environments/environment-config.ts'
import {
  environmentsFolder,
  isEnvironmentName,
} from '../../shared/programs/environments/read-environment.ts'
import type { Project } from '../../shared/programs/project/project.ts'
import { stackPartsOf } from '../../shared/records/ids.ts'
import type { Flags } from '../arguments/flags.ts'
import type { Handler } from '../arguments/handler.ts'
import { confirm } from '../session/session.ts'
import { openStackFile } from '../stack/stack-secrets.ts'

/**
 * `config env init`: creates an environment with the values of a stack file, and adds it to the
 * stack. Removes these values from the file unless --keep-config is set. An environment is a file
 * without encryption, so secrets stay encrypted in the stack file. The resulting configuration of
 * the stack does not change. Throws CONFIG_INVALID for an existing environment, an invalid name, or
 * a value that would change, and CONFIRMATION_DECLINED.
 */
export const initConfigEnvironment: Handler = async (session, flags) => {
  const project = session.requireProject()
  const stack = await session.requireStack()
  const file = openStackFile(session, project, { stack, file: flags.text('configFile') })
  const name = environmentNameOf(flags, project, stackPartsOf(stack).stack)
  const path = join(project.root, environmentsFolder, `${name}.yaml`)
  if (existsSync(path))
    throw createError('CONFIG_INVALID', `the environment ${path} already exists`)
  const values = [...file.getValues()]
  const plainValues = values.filter(([, value]) => !hasSecure(value))
  const text = formatEnvironment(plainValues)
  session.print(`Environment ${path}:\n${text}`)
  const question = { text: `This writes the environment '${name}'.`, answer: 'yes' }
  if (!(await confirm(session, flags.isSet('yes'), question)))
    throw createError('CONFIRMATION_DECLINED', 'nothing was changed')
  const keysToRemove = flags.isSet('keepConfig') ? [] : plainValues.map(([key]) => key)
  addEnvironment(file, project, { name, path, text, keysToRemove })
  session.printToStderr(`Created the environment '${name}' with ${plainValues.length} values.`)
  const secrets = values.filter(([, value]) => hasSecure(value)).map(([key]) => key)
  if (secrets.length > 0)
    session.printToStderr(`Secrets stay encrypted in ${file.path}: ${secrets.join(', ')}`)
  return 0
}

/**
 * Returns the name of the environment: that of --env, or else that of the stack. A name without `/`
 * gets the prefix `<project>/`.
 */
function environmentNameOf(flags: Flags, project: Project, stack: string): string {
  const text = flags.text('env') ?? stack
  const name = text.includes('/') ? text : `${project.name}/${text}`
  if (isEnvironmentName(name)) return name
  throw createError('CONFIG_INVALID', `'${name}' is not the name of an environment`)
}

/** Formats values as an environment of Pulumi ESC. */
function formatEnvironment(values: readonly (readonly [string, StoredConfigValue])[]): string {
  const pulumiConfig = new Map(values.map(([key, value]) => [key, toEnvironmentData(value)]))
  return stringify({ values: { pulumiConfig } })
}

/**
 * Converts a value to plain data. In texts of an environment, `${` begins a reference, so it
 * becomes `$${`.
 */
function toEnvironmentData(tree: ConfigTree): unknown {
  if (typeof tree === 'string') return tree.replaceAll('${', () => '$${')
  if (isTreeList(tree)) return tree.map(toEnvironmentData)
  if (!isTreeMap(tree)) return tree
  return new Map([...tree].map(([key, item]) => [key, toEnvironmentData(item)]))
}

/**
 * Writes an environment and adds it to a stack file. Throws CONFIG_INVALID if the environment
 * cannot be written. After any later error, such as CONFIG_INVALID for a value that would change,
 * removes the environment and leaves the stack file unchanged.
 */
function addEnvironment(
  file: StackConfig,
  project: Project,
  environment: {
    readonly name: string
    readonly path: string
    readonly text: string
    /** The keys to remove from the stack file. */
    readonly keysToRemove: readonly string[]
  },
): void {
  const { name, path, text, keysToRemove } = environment
  const textsBefore = readTexts(file, project)
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text, { flag: 'wx' })
  } catch (cause) {
    throw createError('CONFIG_INVALID', `cannot write ${path}: ${messageOf(cause)}`, { cause })
  }
  try {
    for (const key of keysToRemove) file.remove(key)
    file.setEnvironmentNames([...file.getEnvironmentNames(), name])
    requireEqual(textsBefore, readTexts(file, project))
    writeStackConfig(file)
  } catch (thrown) {
    rmSync(path, { force: true })
    throw thrown
  }
}

/** Returns the configuration of a stack as texts, with ciphertexts in place of secrets. */
function readTexts(file: StackConfig, project: Project): ReadonlyMap<string, string> {
  const environment = file.readEnvironment(project.root)
  const options = { project: project.name, encrypt: (text: string) => text }
  const values = withEnvironmentConfig(file.getValues(), environment, options)
  return new Map(
    [...values].map(([key, value]) => [key, openConfigValue(value, text => text).text]),
  )
}

function requireEqual(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): void {
  const keys = new Set([...before.keys(), ...after.keys()])
  const changedKey = [...keys].find(key => before.get(key) !== after.get(key))
  if (changedKey !== undefined)
    throw createError(
      'CONFIG_INVALID',
      `in an environment, the value of '${changedKey}' would change`,
      {
        hint: 'Keep a value with keys such as `fn::join` in the stack file, and move the others.',
      },
    )
}
