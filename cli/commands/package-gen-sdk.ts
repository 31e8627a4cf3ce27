import { join, resolve } from 'node:path'
import semver from 'semver'
import { error } from '../../shared/errors/error.ts'
import { isFolderSource } from '../../shared/programs/project/project-plugins.ts'
import type { Flags } from '../arguments/flags.ts'
import type { Handler } from '../arguments/handler.ts'
import { generateSdk } from '../packages/generate-sdk.ts'
import { loadPackageSchema } from '../packages/load-package-schema.ts'
import { listSdkLanguages, requireSdkLanguage } from '../packages/sdk-languages.ts'

/**
 * `package gen-sdk`: generates the SDKs of a package in one language or in all of them, each in its
 * own folder below --out. Changes no project. Throws FEATURE_MISSING, CLI_USAGE, PLUGIN_MISSING and
 * PLUGIN_FAILED.
 */
export const generatePackageSdks: Handler = async (session, flags, [operand = '', ...args]) => {
  const names = readLanguages(flags)
  const languages = names.map(name => ({ name, language: requireSdkLanguage(name) }))
  const version = readVersion(flags)
  const plugin = isFolderSource(operand) ? resolve(session.cwd, operand) : operand
  const { schema } = await loadPackageSchema(session, { plugin, args })
  const versioned = version === undefined ? schema : { ...schema, version }
  const root = resolve(session.cwd, flags.text('out') ?? 'sdk')
  for (const { name, language } of languages)
    generateSdk(session, language, { schema: versioned, folder: join(root, name) })
  return 0
}

/** Returns the languages of the option, by default all that have a generator. */
function readLanguages(flags: Flags): readonly string[] {
  const name = flags.text('language') ?? 'all'
  if (name === 'all') return listSdkLanguages()
  return [name === 'typescript' ? 'nodejs' : name]
}

function readVersion(flags: Flags): string | undefined {
  const text = flags.text('version')
  if (text === undefined) return undefined
  const version = semver.valid(text)
  if (version === null) throw error('CLI_USAGE', `invalid version of the package: ${text}`)
  return text.replace(/^v/, '')
}
