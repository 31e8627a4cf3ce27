import { join, resolve } from 'node:path'
import semver from 'semver'
import { createError } from '../../shared/errors/error.ts'
import { findOnPath } from '../../shared/programs/executables.ts'
import { isRecord } from '../../shared/programs/is-record.ts'
import { isFolderSource } from '../../shared/programs/project/project-plugins.ts'
import type { Flags } from '../arguments/flags.ts'
import type { Handler } from '../arguments/handler.ts'
import type { CliSession } from '../session/session.ts'
import { generateSdk } from '../packages/generate-sdk.ts'
import { type LoadedSchema, loadPackageSchema } from '../packages/load-package-schema.ts'
import { findSdkLanguage, listSdkLanguages } from '../packages/sdk-languages.ts'

/**
 * `package gen-sdk`: generates the SDKs of a package in one language or in all of them, each in its
 * own folder below --out. Changes no project. Throws FEATURE_MISSING, CLI_USAGE, PLUGIN_*,
 * RUNTIME_UNKNOWN and CODE_GENERATION_FAILED.
 */
export const generatePackageSdks: Handler = async (session, flags, [operand = '', ...args]) => {
  const names = readLanguages(session, flags)
  const version = readVersion(flags)
  const plugin = isFolderSource(operand) ? resolve(session.cwd, operand) : operand
  const loadedSchema = withVersion(await loadPackageSchema(session, { plugin, args }), version)
  const isLocal = flags.isSet('local')
  const root = resolve(session.cwd, flags.text('out') ?? 'sdk')
  for (const language of names.map(findSdkLanguage))
    await generateSdk(session, language, {
      loadedSchema,
      folder: join(root, language.runtime),
      isLocal,
    })
  return 0
}

/**
 * Returns the language of --language. By default, returns the languages whose SDKs need no language
 * host, and those whose language host of Pulumi is on the PATH.
 */
function readLanguages(session: CliSession, flags: Flags): readonly string[] {
  const name = flags.text('language') ?? 'all'
  if (name !== 'all') return [name]
  const path = session.io.env['PATH'] ?? ''
  const hasHost = (host: string): boolean =>
    findOnPath(`pulumi-language-${host}`, path) !== undefined
  return [...listSdkLanguages(), ...['dotnet', 'go', 'java'].filter(hasHost)]
}

function withVersion(loadedSchema: LoadedSchema, version: string | undefined): LoadedSchema {
  if (version === undefined) return loadedSchema
  const { schema, json } = loadedSchema
  return { schema: { ...schema, version }, json: isRecord(json) ? { ...json, version } : json }
}

function readVersion(flags: Flags): string | undefined {
  const text = flags.text('version')
  if (text === undefined) return undefined
  const version = semver.parse(text)
  if (version === null) throw createError('CLI_USAGE', `invalid version of the package: ${text}`)
  // The parsed `version` lacks the build metadata after `+`.
  return [version.version, ...(version.build.length === 0 ? [] : [version.build.join('.')])].join(
    '+',
  )
}
